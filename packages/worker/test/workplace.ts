import type { Tool, ToolContext } from '@turnloop/core'
import { type Deferred, deferred, type ManualClock, manualClock } from '@turnloop/testing'
import { onTestFinished } from 'vitest'
import { type WorkerToolSource, type WorkerToolsOptions, workerTools } from '../src/worker-tools.ts'
import { callContext, never } from './call-context.ts'
import { type ChannelWorker, channelWorker } from './channel-worker.ts'

/** One source over stand-ins for workers, which all serve the same tools. */
export interface Workplace {
  readonly source: WorkerToolSource
  readonly workers: readonly ChannelWorker[]
  readonly clock: ManualClock
  /** How many workers there are. */
  readonly alive: number
  /** Move the clock, once a timer is due by then: that a call was found sound may still be on its way to the page. */
  pass(ms: number): Promise<void>
  /** Call a tool. The rejection of a call that a test looks at later is not unhandled. */
  run(name: string, options?: Partial<ToolContext>, input?: object): Promise<unknown>
}

/** Serve what `tools` makes for each worker; the tools have been listed already. */
export async function workplace(
  tools: (worker: () => ChannelWorker | undefined) => readonly Tool[],
  options: WorkerToolsOptions = {},
): Promise<Workplace> {
  const workers: ChannelWorker[] = []
  const clock = manualClock()
  const source = workerTools(
    () => {
      const place = workers.length
      const worker = channelWorker(tools(() => workers[place]))
      workers.push(worker)
      return worker
    },
    { name: 'tables', graceMs: 100, clock, ...options },
  )
  onTestFinished(() => source.dispose())
  const listed = await source.list(never)
  return {
    source,
    workers,
    clock,
    get alive() {
      return workers.filter((worker) => !worker.terminated).length
    },
    async pass(ms) {
      while ((clock.next() ?? Number.POSITIVE_INFINITY) > clock.now() + ms) await nextTask()
      await clock.advance(ms)
    },
    run(name, context = {}, input = {}) {
      const found = listed.find((candidate) => candidate.name === name)
      const call = Promise.resolve(found?.execute(input, callContext(context)))
      call.catch(() => {})
      return call
    },
  }
}

/** Resolves in a later task, when messages have had their turn. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** A tool body that goes on until the test says so, and counts its calls. */
export interface Task {
  execute(): Promise<unknown>
  /** Calls that have begun. */
  readonly begun: number
  /** Resolves when `count` calls have begun. */
  hasBegun(count: number): Promise<void>
  /** Finish all calls that have begun. */
  finish(): void
}

/** Make a task. */
export function task(): Task {
  let begun = 0
  const running: Deferred<string>[] = []
  const waiters: { count: number; wake(): void }[] = []
  return {
    get begun() {
      return begun
    },
    execute() {
      begun += 1
      for (const { count, wake } of waiters) if (begun >= count) wake()
      const mine = deferred<string>()
      running.push(mine)
      return mine.promise
    },
    hasBegun: (count) =>
      new Promise((resolve) => {
        if (begun >= count) resolve()
        else waiters.push({ count, wake: resolve })
      }),
    finish() {
      for (const { resolve } of running.splice(0)) resolve('done')
    },
  }
}
