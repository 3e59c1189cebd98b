import { type JsonObject, type ToolContext, ToolError } from '@turnloop/core'
import type { ToolDescriptor, ToWorker } from './protocol.ts'
import { ResultStream, type StreamEnds } from './result-stream.ts'
import { type CallFate, forCall, timedOut, type WorkerError } from './worker-error.ts'

/** What is called. */
export interface CallRequest {
  readonly tool: ToolDescriptor
  readonly input: JsonObject
  readonly context: ToolContext
}

/** One call as the page keeps it, on whichever worker it is. Settles once; what comes later is ignored. */
export class HostedCall {
  readonly request: CallRequest
  /** What the caller gets: a value, or a `ResultStream`. */
  readonly answer: Promise<unknown>
  /** A worker was told to run it: now only an answer tells what happened. Until then the call can move. */
  started = false
  /** It was asked to stop, by an abort, its time limit, or a reader who left. */
  stopping = false
  /** Its number on the worker that has it: a new one each time, so that no late answer is taken for another. */
  wireId = 0
  /** It ran over its time limit. */
  isLate = false
  /** Take back what was set up for it, whichever is there. */
  stopListening?: () => void
  stopLimit?: () => void
  stopGrace?: () => void
  #stream: ResultStream | undefined
  /** What ended the worker where it ran before. */
  #lostTo: WorkerError | undefined
  #resolve: (value: unknown) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor(request: CallRequest) {
    this.request = request
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** The message that asks a worker to check it, and to `run` it too. Only the data of its context is sent. */
  message(run: boolean): ToWorker {
    const { tool, input, context } = this.request
    const { callId, idempotencyKey, turnId, sessionId, state, metadata } = context
    const data = { callId, idempotencyKey, turnId, sessionId, state, metadata }
    return { kind: 'turnloop:call', id: this.wireId, toolName: tool.name, input, context: data, run }
  }

  /** Its result comes in chunks. */
  openStream(ends: StreamEnds): void {
    this.#stream = new ResultStream(ends)
    this.#resolve(this.#stream)
  }

  /** One chunk of its result. */
  chunk(value: unknown): void {
    this.#stream?.push(value)
  }

  /** It came back with a value, or to the end of its chunks. */
  succeed(value: unknown): void {
    this.#release()
    this.#stream?.close()
    this.#resolve(value)
  }

  /** It failed; one that had to stop for its time limit failed by that. */
  fail(error: unknown): void {
    const { tool } = this.request
    const { timeoutMs } = tool
    if (this.isLate && timeoutMs !== undefined) this.#end(timedOut(tool.name, { timeoutMs, cause: error }))
    else this.#end(error)
  }

  /** Its worker is gone: say so, and what that means for it. */
  lose(error: WorkerError): void {
    const { name, timeoutMs } = this.request.tool
    const fate = this.#fate()
    if (this.isLate && timeoutMs !== undefined) this.#end(timedOut(name, { timeoutMs, fate, cause: error }))
    else this.#end(forCall(error, name, fate))
  }

  /** Nobody wants it any more, and no worker has it. */
  withdraw(reason: unknown): void {
    // One that has run somewhere may have taken effect, whatever stops it now.
    if (this.#lostTo && this.#fate() === 'unknown') this.lose(this.#lostTo)
    else this.#end(reason)
  }

  /**
   * Leave a worker that is gone for another one; `false` if it may not. One that was not started always may, one that was
   * once, if running it again does no harm, nobody wants it stopped and nothing of its result has been seen.
   */
  move(error: WorkerError): boolean {
    if (!this.started) return true
    if (this.request.tool.effect === 'unsafe' || this.stopping || this.#stream || this.#lostTo) return false
    this.#lostTo = error
    this.started = false
    this.stopLimit?.()
    return true
  }

  #fate(): CallFate {
    if (!this.started && !this.#lostTo) return 'not-run'
    return this.request.tool.effect === 'read' ? 'unfinished' : 'unknown'
  }

  #end(error: unknown): void {
    this.#release()
    this.#stream?.close({ error })
    this.#reject(error)
  }

  #release(): void {
    this.stopListening?.()
    this.stopLimit?.()
    this.stopGrace?.()
  }
}

/** The error of arguments that hold something other than data; the cause says what. */
export function inputNotCloneable(toolName: string, cause: unknown): ToolError {
  const message = `The arguments of ${toolName} cannot be copied to its worker: ${String(cause)}`
  return new ToolError('not-cloneable', message, { cause, facts: { toolName } })
}
