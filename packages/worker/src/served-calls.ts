import { type Clock, type JsonValue, type Tool, type ToolContext, ToolError } from '@turnloop/core'
import { drainResult } from './drain-result.ts'
import { fromWire, toWire, type WireThrown } from './error-wire.ts'
import { type ProgressFeed, progressFeed } from './progress-feed.ts'
import type { CallContext, ToPage, ToWorker } from './protocol.ts'
import { uncloneablePath } from './uncloneable-path.ts'

/** One call in the worker. */
interface ServedCall {
  readonly id: number
  readonly tool: Tool
  readonly context: CallContext
  readonly controller: AbortController
  /** What the tool's schema made of the arguments; there once they are checked. */
  input?: unknown
  started: boolean
}

type CallMessage = Extract<ToWorker, { kind: 'turnloop:call' }>

/** The calls a worker has in hand: checks them, runs them, and answers each once. */
export class ServedCalls {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #post: (message: ToPage) => void
  readonly #clock: Clock
  readonly #calls = new Map<number, ServedCall>()

  constructor(tools: ReadonlyMap<string, Tool>, post: (message: ToPage) => void, clock: Clock) {
    this.#tools = tools
    this.#post = post
    this.#clock = clock
  }

  /** Check a call's arguments with the tool's own schema; `checked` or `failure` follows. */
  async check({ id, toolName, input, context }: CallMessage): Promise<void> {
    const tool = this.#tools.get(toolName)
    if (!tool) return this.#fail(id, unknownTool(toolName, [...this.#tools.keys()]))
    const call: ServedCall = { id, tool, context, controller: new AbortController(), started: false }
    this.#calls.set(id, call)
    try {
      const checked = await tool.check(input)
      // Cancelled meanwhile: the page has forgotten it.
      if (!this.#calls.has(id)) return
      if (!checked.ok) throw refused(toolName, checked.problems)
      call.input = checked.value
      this.#post({ kind: 'turnloop:checked', id })
    } catch (error) {
      this.#fail(id, error)
    }
  }

  /** Run a call that was checked; `result` or `failure` follows. */
  async start(id: number): Promise<void> {
    const call = this.#calls.get(id)
    if (!call) return
    call.started = true
    const feed = progressFeed((update) => this.#post({ kind: 'turnloop:progress', id, update }), this.#clock)
    try {
      const value = await runTool(call, feed)
      feed.flush()
      this.#succeed(call, value)
    } catch (error) {
      feed.flush()
      this.#fail(id, error)
    }
  }

  /** Abort the signal of a call that runs, forget one that does not. */
  cancel(id: number, reason: WireThrown): void {
    const call = this.#calls.get(id)
    if (call?.started) call.controller.abort(fromWire(reason))
    else this.#calls.delete(id)
  }

  #succeed({ id, tool }: ServedCall, value: unknown): void {
    try {
      this.#post({ kind: 'turnloop:result', id, value })
      this.#calls.delete(id)
    } catch (cause) {
      this.#fail(id, notCloneable(tool.name, uncloneablePath(value, 'result'), cause))
    }
  }

  #fail(id: number, error: unknown): void {
    this.#calls.delete(id)
    this.#post({ kind: 'turnloop:failure', id, thrown: toWire(error) })
  }
}

async function runTool({ tool, input, context, controller }: ServedCall, feed: ProgressFeed): Promise<unknown> {
  const { signal } = controller
  const progress = (update: JsonValue): void => {
    try {
      feed.push(update)
    } catch (cause) {
      // As for a local tool: an update that cannot be shown says so, and does not end the call.
      feed.push(notCloneable(tool.name, uncloneablePath(update, 'progress'), cause).message)
    }
  }
  const { sessionId, ...ids } = context
  const session = sessionId === undefined ? {} : { sessionId }
  const toolContext: ToolContext = { ...ids, ...session, signal, progress, messages: [] }
  return drainResult(await tool.execute(input, toolContext), {
    signal,
    // A chunk is whatever the tool yields; `progress` takes anything.
    onProgress: (update) => progress(update as JsonValue),
  })
}

function unknownTool(toolName: string, known: readonly string[]): ToolError {
  return new ToolError('tool-failed', `The worker has no tool named ${toolName}. It has: ${known.join(', ')}.`, {
    facts: { toolName },
  })
}

function refused(toolName: string, problems: readonly string[]): ToolError {
  return new ToolError('bad-input', `The arguments of ${toolName} were refused: ${problems.join('; ')}`, {
    facts: { toolName },
  })
}

function notCloneable(toolName: string, path: string, cause: unknown): ToolError {
  return new ToolError('not-cloneable', `${toolName}: ${path} cannot be copied to the page. Give plain data.`, {
    cause,
    facts: { toolName, path },
  })
}
