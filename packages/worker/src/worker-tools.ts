import {
  type Clock,
  type JsonObject,
  type Schema,
  systemClock,
  type Tool,
  type ToolSource,
  TurnloopError,
  tool,
} from '@turnloop/core'
import type { ToolDescriptor } from './protocol.ts'
import type { WorkerIdentity } from './worker-error.ts'
import { WorkerHost } from './worker-host.ts'
import type { ToolWorker } from './worker-link.ts'

/** Options of `workerTools()`. */
export interface WorkerToolsOptions {
  /** What error messages call this worker. */
  name?: string
  /** How long a call may go on after it was asked to stop before its worker is ended. Default 800. */
  graceMs?: number
  /** How long a new worker may take until it calls `serveTools`. Default 10,000. */
  startTimeoutMs?: number
  /** For tests. */
  clock?: Clock
}

/** Tools that live in one worker. */
export interface WorkerToolSource extends ToolSource {
  /**
   * End the worker, for good. Calls in it are answered with `worker-terminated`, and so are all later ones, so that a
   * turn that is still running cannot bring the worker back. May be called again.
   */
  dispose(): Promise<void>
}

/**
 * Use the tools that a Web Worker serves with `serveTools`, as if they were local.
 *
 *     workerTools(() => new Worker(new URL('./table-tools.ts', import.meta.url), { type: 'module' }))
 *
 * `factory` must make a new worker each time, written as above where bundlers look for it. It is called when the tools
 * are first listed or called, and again when a worker was lost; one worker serves all calls.
 *
 * Arguments are checked in the page against the JSON Schema and in the worker against the tool's own schema, and copied
 * by structured clone, like results. What a tool throws is thrown here with its name, message and cause. Aborting a
 * call aborts the tool's signal; a tool that has not settled `graceMs` later loses its worker. Then calls that had
 * started reject, `facts.outcomeUnknown` set, and the others move to a new worker: no tool runs twice.
 *
 * `list` and calls reject with `WorkerError`: `worker-failed-to-load`, `worker-crashed`, `worker-terminated`. The next
 * use then starts a new worker, unless it was `dispose()` that ended the last. Throws `bad-option`.
 */
export function workerTools(factory: () => ToolWorker, options: WorkerToolsOptions = {}): WorkerToolSource {
  if (typeof factory !== 'function') {
    throw new TurnloopError(
      'bad-option',
      'workerTools: expected a function that makes a Worker, not the Worker itself.',
    )
  }
  const host = new WorkerHost({
    factory,
    identity: identify(factory, options.name),
    graceMs: milliseconds(options.graceMs, 800, 'graceMs'),
    startTimeoutMs: milliseconds(options.startTimeoutMs, 10_000, 'startTimeoutMs'),
    clock: options.clock ?? systemClock,
  })
  let listed: { descriptors: readonly ToolDescriptor[]; tools: readonly Tool[] } | undefined
  return {
    async list({ signal }) {
      const descriptors = await host.list(signal)
      // Loaded here, since it is as large as all the rest and not needed before the first call.
      const { jsonSchema } = await import('@turnloop/core/json-schema')
      if (listed?.descriptors !== descriptors) {
        listed = { descriptors, tools: descriptors.map((descriptor) => pageTool(host, descriptor, jsonSchema)) }
      }
      return listed.tools
    },
    async dispose() {
      host.dispose()
    },
  }
}

function pageTool(
  host: WorkerHost,
  descriptor: ToolDescriptor,
  toSchema: (schema: JsonObject) => Schema<JsonObject>,
): Tool {
  return tool({
    ...descriptor,
    input: lenient(toSchema(descriptor.inputSchema)),
    execute: (input, context) => host.run(descriptor.name, input, context),
  })
}

/** A schema that the page's validator cannot read, such as a pattern only lax RegExp takes, is left to the worker. */
function lenient(schema: Schema<JsonObject>): Schema<JsonObject> {
  const standard = schema['~standard']
  const validate = (value: unknown): ReturnType<typeof standard.validate> => {
    try {
      return standard.validate(value)
    } catch {
      // Arguments are an object before they come to a tool's check.
      return { value: value as JsonObject }
    }
  }
  return { '~standard': { ...standard, validate } }
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
  // A longer timer would fire at once: platforms keep delays in 32 bits.
  if (value >= 0 && value < 2 ** 31) return value
  throw new TurnloopError('bad-option', `workerTools: "${option}" must be a number of milliseconds from 0 to 2^31 - 1.`)
}
