import { type Clock, type JsonValue, type Tool, type ToolContext, ToolError } from '@turnloop/core'
import { type ChunkGate, chunkGate } from './chunk-gate.ts'
import { chunksOf } from './chunks-of.ts'
import { fromWire, toWire, type WireThrown } from './error-wire.ts'
import { type ProgressFeed, progressFeed } from './progress-feed.ts'
import type { CallContext, ToPage, ToWorker } from './protocol.ts'
import { transfersOf } from './transfer.ts'
import { isCloneable, uncloneablePath } from './uncloneable-path.ts'

/** Sends to the page; throws `DataCloneError` for what cannot be copied. */
export type PostToPage = (message: ToPage, transfer?: readonly Transferable[]) => void

/** One call in the worker. */
interface ServedCall {
  readonly id: number
  readonly tool: Tool
  readonly context: CallContext
  readonly controller: AbortController
  readonly gate: ChunkGate
  /** What the tool's schema made of the arguments; there once they are checked. */
  input?: unknown
  started: boolean
  /** The session's state: what the tool was given, as text, and where it may change it. */
  stateBefore?: string | undefined
  toolContext?: ToolContext
}

type CallMessage = Extract<ToWorker, { kind: 'turnloop:call' }>

/** The calls a worker has in hand: checks them, runs them, and answers each once. */
export class ServedCalls {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #post: PostToPage
  readonly #clock: Clock
  readonly #calls = new Map<number, ServedCall>()

  constructor(tools: ReadonlyMap<string, Tool>, post: PostToPage, clock: Clock) {
    this.#tools = tools
    this.#post = post
    this.#clock = clock
  }

  /**
   * Check a call's arguments with the tool's own schema; `checked` or `failure` follows. With `run` the tool is started at
   * once when they are good.
   */
  async check({ id, toolName, input, context, run }: CallMessage): Promise<void> {
    const tool = this.#tools.get(toolName)
    if (!tool) return this.#fail(id, unknownTool(toolName, [...this.#tools.keys()]))
    const controller = new AbortController()
    const gate = chunkGate(controller.signal)
    const call: ServedCall = { id, tool, context, controller, gate, started: run }
    this.#calls.set(id, call)
    try {
      const checked = await tool.check(input)
      // Cancelled meanwhile: the page has forgotten it.
      if (this.#calls.get(id) !== call) return
      if (!checked.ok) throw refused(toolName, checked.problems)
      // Also of one that is to run: nothing has happened yet.
      controller.signal.throwIfAborted()
      call.input = checked.value
      this.#post({ kind: 'turnloop:checked', id })
      if (run) return this.start(id)
    } catch (error) {
      if (this.#calls.get(id) === call) this.#fail(id, error)
    }
  }

  /** Run a call that was checked; `result` or `failure` follows. */
  async start(id: number): Promise<void> {
    const call = this.#calls.get(id)
    if (!call) return
    call.started = true
    const feed = progressFeed((update) => this.#post({ kind: 'turnloop:progress', id, update }), this.#clock)
    try {
      call.stateBefore = toText(call.context.state)
      call.toolContext = contextOf(call, feed)
      const returned = await call.tool.execute(call.input, call.toolContext)
      const chunks = chunksOf(returned)
      if (chunks) await this.#stream(call, chunks)
      feed.flush()
      this.#succeed(call, chunks ? undefined : returned)
    } catch (error) {
      feed.flush()
      this.#fail(id, error)
    }
  }

  /** The page has read more of a streamed result. */
  ack(id: number, count: number): void {
    this.#calls.get(id)?.gate.ack(count)
  }

  /** Abort the signal of a call that runs, forget one that does not. */
  cancel(id: number, reason: WireThrown): void {
    const call = this.#calls.get(id)
    if (call?.started) call.controller.abort(fromWire(reason))
    else this.#calls.delete(id)
  }

  async #stream({ id, tool, gate }: ServedCall, chunks: AsyncIterable<unknown>): Promise<void> {
    this.#post({ kind: 'turnloop:stream', id })
    // Leaving early closes the iterable and waits for that; if it does not end, the page's grace time ends this worker.
    for await (const value of chunks) {
      await gate.pass()
      try {
        this.#post({ kind: 'turnloop:chunk', id, value }, transfersOf(value))
      } catch (cause) {
        throw notCloneable(tool.name, uncloneablePath(value, 'chunk'), cause)
      }
    }
  }

  #succeed(call: ServedCall, value: unknown): void {
    const { id, tool } = call
    try {
      this.#post({ kind: 'turnloop:result', id, value, ...changedState(call) }, transfersOf(value))
      this.#calls.delete(id)
    } catch (cause) {
      const path = isCloneable(value)
        ? uncloneablePath(call.toolContext?.state, 'state')
        : uncloneablePath(value, 'result')
      this.#fail(id, notCloneable(tool.name, path, cause))
    }
  }

  #fail(id: number, error: unknown): void {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    const state = call && changedState(call)
    const isSound = isCloneable(state?.state)
    this.#post({ kind: 'turnloop:failure', id, thrown: toWire(error), ...(isSound && state) })
  }
}

function contextOf({ tool, context, controller }: ServedCall, feed: ProgressFeed): ToolContext {
  const progress = (update: JsonValue): void => {
    try {
      feed.push(update)
    } catch (cause) {
      // As for a local tool: an update that cannot be shown says so, and does not end the call.
      feed.push(notCloneable(tool.name, uncloneablePath(update, 'progress'), cause).message)
    }
  }
  const { sessionId, ...data } = context
  const session = sessionId === undefined ? {} : { sessionId }
  return { ...data, ...session, signal: controller.signal, progress, messages: [] }
}

function changedState({ stateBefore, toolContext }: ServedCall): { state?: ToolContext['state'] } {
  if (!toolContext || toText(toolContext.state) === stateBefore) return {}
  return { state: toolContext.state }
}

/** To see a change by; what is no JSON counts as one, and is refused in the page. */
function toText(state: unknown): string | undefined {
  const isLeftOut = (value: unknown): boolean => typeof value === 'function' || typeof value === 'symbol'
  try {
    return JSON.stringify(state, (_key, value: unknown) => (isLeftOut(value) ? String(value) : value))
  } catch {
    return undefined
  }
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
