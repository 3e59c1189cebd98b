import type { JsonValue, Tool } from '@turnloop/core'
import { type WorkerToolSource, type WorkerToolsOptions, workerTools } from '@turnloop/worker'
import { onTestFinished } from 'vitest'
import { callContext, never } from '../call-context.ts'

/** A source of real workers for one test. */
export interface ToolBench {
  readonly source: WorkerToolSource
  find(name: string): Promise<Tool>
  /** Call a tool. The rejection of a call that a test looks at later is not unhandled. */
  run(name: string, input?: object, options?: RunOptions): Promise<unknown>
}

export interface RunOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (update: JsonValue) => void
  readonly callId?: string
}

/** The worker that a test asks for; it ends with the test. A busy machine may start it late. */
export function workerSource(factory: () => Worker, options: WorkerToolsOptions = {}): WorkerToolSource {
  const source = workerTools(factory, { startTimeoutMs: 50_000, ...options })
  onTestFinished(() => source.dispose())
  return source
}

/**
 * Serve test/browser/fixtures/tools.ts, in the form bundlers look for. The grace time is long unless a test is about it,
 * so that a busy machine does not end a worker that is well.
 */
export function toolBench(options: WorkerToolsOptions = {}): ToolBench {
  const source = workerSource(() => new Worker(new URL('./fixtures/tools.ts', import.meta.url), { type: 'module' }), {
    graceMs: 10_000,
    ...options,
  })
  const find = async (name: string): Promise<Tool> => {
    const found = (await source.list(never)).find((tool) => tool.name === name)
    if (!found) throw new Error(`the fixture serves no ${name}`)
    return found
  }
  return {
    source,
    find,
    run(name, input = {}, { onProgress, ...rest } = {}) {
      const context = callContext({ ...rest, ...(onProgress && { progress: onProgress }) })
      const call = find(name).then((tool) => tool.execute(input, context))
      call.catch(() => {})
      return call
    },
  }
}

/** Start a call that reports progress, and wait for the first report: from then on it runs. */
export async function started(
  bench: ToolBench,
  name: string,
  signal?: AbortSignal,
): Promise<{ call: Promise<unknown> }> {
  let call: Promise<unknown> = Promise.resolve()
  await new Promise<JsonValue>((resolve) => {
    call = bench.run(name, {}, { onProgress: resolve, ...(signal && { signal }) })
  })
  return { call }
}

/** Resolves when nobody holds a lock any more: its worker is gone. */
export async function freed(lockName: string): Promise<void> {
  await navigator.locks.request(lockName, () => {})
}
