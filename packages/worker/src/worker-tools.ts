import { type Clock, systemClock, type Tool, type ToolSource, TurnloopError } from '@turnloop/core'
import { LONGEST_DELAY_MS } from './longest-delay.ts'
import { pageTools } from './page-tools.ts'
import type { ToolDescriptor } from './protocol.ts'
import { WorkerError, type WorkerIdentity } from './worker-error.ts'
import type { ToolWorker } from './worker-link.ts'
import { WorkerPool } from './worker-pool.ts'

/** Options of `workerTools()`. */
export interface WorkerToolsOptions {
  /** What error messages call this worker. */
  name?: string
  /** The most workers. They are started one by one, when a call finds none idle. Default 1. */
  size?: number
  /** The most calls that run in one worker at a time; they share its thread. Default: no limit. */
  callsPerWorker?: number
  /** The time limit of a tool that brings none, counted from its start: a call that waits uses nothing of it. */
  timeoutMs?: number
  /** How long a call may go on after it was asked to stop before its worker is ended. Default 800. */
  graceMs?: number
  /** How long a new worker may take until it calls `serveTools`. Default 10,000. */
  startTimeoutMs?: number
  /**
   * The tools to use in the page where no worker can be had, as under a CSP without `worker-src`. Asked once, when the first
   * worker fails to load. Such tools block the page while they run, and nothing can end them. Default: the failure is told.
   */
  fallback?(): readonly Tool[] | Promise<readonly Tool[]>
  /** For tests. */
  clock?: Clock
}

/** Tools that live in workers. */
export interface WorkerToolSource extends ToolSource {
  subscribe(onChange: () => void): () => void
  /**
   * Replace the workers, as after a hot update of their script. Calls that have started end where they are; the others, and
   * all later ones, run in new workers. Whoever subscribed is told to list again.
   */
  reload(): void
  /**
   * End the workers, for good. Calls in them are answered with `worker-terminated`, and so are all later ones, so that a
   * turn that is still running cannot bring a worker back. May be called again.
   */
  dispose(): Promise<void>
}

/**
 * Use the tools that a Web Worker serves with `serveTools`, as if they were local.
 *
 *     workerTools(() => new Worker(new URL('./table-tools.ts', import.meta.url), { type: 'module' }))
 *
 * `factory` must make a new worker each time, written as above where bundlers look for it. It is called when the tools
 * are first listed or called, again when a worker was lost, and up to `size` times while calls wait.
 *
 * Arguments are checked in the page against the JSON Schema and in the worker against the tool's own schema, and copied
 * by structured clone, like results. What a tool throws is thrown here with its name, message and cause. An async iterable
 * is one here too. A tool's `timeoutMs` counts from its start, and ends it with `tool-timed-out`. Aborting a call aborts the
 * tool's signal; a tool that has not settled `graceMs` later loses its worker. Calls beside it that had not started move to
 * another worker; so do, once, those that had, if their `effect` is `'read'` or `'idempotent'`. Unsafe ones reject with
 * `facts.outcomeUnknown`: none runs twice.
 *
 * `list` and calls reject with `WorkerError`: `worker-failed-to-load`, `worker-crashed`, `worker-terminated`. The next
 * use then starts a new worker, unless it was `dispose()` that ended the last. Throws `bad-option`.
 */
export function workerTools(factory: () => ToolWorker, options: WorkerToolsOptions = {}): WorkerToolSource {
  if (typeof factory !== 'function') throw badOption('expected a function that makes a Worker, not the Worker itself.')
  const timeoutMs = options.timeoutMs === undefined ? undefined : milliseconds(options.timeoutMs, 0, 'timeoutMs')
  const pool = new WorkerPool({
    factory,
    identity: identify(factory, options.name),
    size: count(options.size, 1, 'size'),
    callsPerWorker: count(options.callsPerWorker, Number.POSITIVE_INFINITY, 'callsPerWorker'),
    graceMs: milliseconds(options.graceMs, 800, 'graceMs'),
    startTimeoutMs: milliseconds(options.startTimeoutMs, 10_000, 'startTimeoutMs'),
    clock: options.clock ?? systemClock,
  })
  const loadFallback = async (fallback: NonNullable<WorkerToolsOptions['fallback']>): Promise<readonly Tool[]> => {
    try {
      return await fallback()
    } catch (error) {
      inPage = undefined
      throw error
    }
  }
  let listed: { descriptors: readonly ToolDescriptor[]; tools: readonly Tool[] } | undefined
  let inPage: Promise<readonly Tool[]> | undefined

  const list = async (signal: AbortSignal): Promise<readonly Tool[]> => {
    const descriptors = await pool.list(signal)
    if (listed?.descriptors === descriptors) return listed.tools
    const tools = await pageTools(descriptors, pool, timeoutMs)
    // Somebody else may have asked at the same time: a tool keeps its identity.
    if (listed?.descriptors !== descriptors) listed = { descriptors, tools }
    return listed.tools
  }
  return {
    async list({ signal }) {
      if (inPage) return inPage
      try {
        return await list(signal)
      } catch (error) {
        if (!options.fallback || !(error instanceof WorkerError && error.code === 'worker-failed-to-load')) throw error
        inPage ??= loadFallback(options.fallback)
        return inPage
      }
    },
    subscribe: (onChange) => pool.subscribe(onChange),
    reload() {
      inPage = undefined
      pool.reload()
    },
    async dispose() {
      pool.dispose()
    },
  }
}

/**
 * A Worker does not tell its URL, and a failed load names none either, so it is read from the factory's source text,
 * where bundlers leave `new URL("…")` as written.
 */
function identify(factory: () => ToolWorker, name: string | undefined): WorkerIdentity {
  const url = /new URL\([^'"`]*['"`]([^'"`]+)/.exec(String(factory))?.[1]
  const label = `Worker${name ? ` "${name}"` : ''}${url ? ` (${url})` : ''}`
  return { label, url }
}

function milliseconds(value: number | undefined, fallback: number, option: string): number {
  if (value === undefined) return fallback
  if (value >= 0 && value <= LONGEST_DELAY_MS) return value
  throw badOption(`"${option}" must be a number of milliseconds from 0 to 2^31 - 1.`)
}

function count(value: number | undefined, fallback: number, option: string): number {
  if (value === undefined) return fallback
  if (value >= 1 && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY)) return value
  throw badOption(`"${option}" must be a whole number from 1.`)
}

function badOption(problem: string): TurnloopError {
  return new TurnloopError('bad-option', `workerTools: ${problem}`)
}
