import type { Clock } from '@turnloop/core'
import { fromWire, reasonToWire } from './error-wire.ts'
import { type HostedCall, inputNotCloneable } from './hosted-call.ts'
import { LONGEST_DELAY_MS } from './longest-delay.ts'
import type { ToolDescriptor, ToPage } from './protocol.ts'
import { terminated, timedOut, type WorkerError, type WorkerIdentity } from './worker-error.ts'
import { openLink, type ToolWorker, type WorkerLink } from './worker-link.ts'

/** What one worker of a pool needs, and whom it tells. */
export interface PooledWorkerOptions {
  readonly factory: () => ToolWorker
  readonly identity: WorkerIdentity
  readonly graceMs: number
  readonly startTimeoutMs: number
  readonly clock: Clock
  /** It can be used; these are its tools. */
  onReady(worker: PooledWorker, tools: readonly ToolDescriptor[]): void
  /** It may have room for another call. */
  onFree(worker: PooledWorker): void
  /** It failed to load, crashed, or has to be ended for a call that does not stop. The pool calls `end`. */
  onLost(worker: PooledWorker, error: WorkerError): void
}

type CallMessage = Exclude<ToPage, { kind: 'turnloop:ready' }>

/** One worker of a pool and the calls that run there. */
export class PooledWorker {
  /** Taken out of service: it finishes what it has. */
  isRetiring = false
  readonly #options: PooledWorkerOptions
  readonly #link: WorkerLink
  readonly #calls = new Map<number, HostedCall>()
  /** A call it was asked to check while others run there: it starts once the worker has answered. */
  #probe: HostedCall | undefined
  #isReady = false
  #lastId = 0

  constructor(options: PooledWorkerOptions) {
    this.#options = options
    this.#link = openLink({
      ...options,
      onMessage: (message) => this.#hear(message),
      onCrash: (error) => options.onLost(this, error),
    })
    this.#link.ready.then(
      (tools) => {
        this.#isReady = true
        options.onReady(this, tools)
      },
      (error: WorkerError) => options.onLost(this, error),
    )
  }

  get isStarting(): boolean {
    return !this.#isReady
  }

  get isIdle(): boolean {
    return this.#isReady && this.#calls.size === 0 && !this.#probe
  }

  /** How many calls run there. */
  get load(): number {
    return this.#calls.size
  }

  /** Whether a call waits for the worker to show that its event loop turns. */
  get isProbed(): boolean {
    return this.#probe !== undefined
  }

  has(call: HostedCall): boolean {
    return this.#probe === call || this.#calls.get(call.wireId) === call
  }

  /** Run a call at once; for an idle worker. */
  run(call: HostedCall): void {
    // Until it is checked it may take as long as a worker may to start: some tools load what they check with.
    if (this.#post(call, true)) this.#begin(call, this.#options.startTimeoutMs)
  }

  /** Have a call checked, and run once that has shown that the worker's event loop turns; for a busy worker. */
  probe(call: HostedCall): void {
    if (this.#post(call, false)) this.#probe = call
  }

  /** Take back the call that has not started. */
  takeProbe(reason: unknown = 'moved'): HostedCall | undefined {
    const call = this.#probe
    this.#probe = undefined
    if (call) this.#link.post({ kind: 'turnloop:cancel', id: call.wireId, reason: reasonToWire(reason) })
    return call
  }

  /** Ask a call that runs there to stop; if it has not settled `graceMs` later, the worker has to go. */
  stop(call: HostedCall, reason: unknown): void {
    if (call.stopping || this.#calls.get(call.wireId) !== call) return
    call.stopping = true
    this.#link.post({ kind: 'turnloop:cancel', id: call.wireId, reason: reasonToWire(reason) })
    const { clock, graceMs, identity, onLost } = this.#options
    const why = `because ${call.request.tool.name} did not stop within ${graceMs} ms`
    call.stopGrace = clock.setTimer(() => onLost(this, terminated(identity, why)), graceMs)
  }

  /** End the worker, answer the calls that nobody can take over, and hand back the others, oldest first. */
  end(error: WorkerError, { mayMove }: { mayMove: boolean } = { mayMove: true }): HostedCall[] {
    this.#link.end(error)
    const calls = [...this.#calls.values(), ...(this.#probe ? [this.#probe] : [])]
    // With several calls nobody knows whose crash it was; a single one would only crash the next worker too.
    const isItsFault = error.code === 'worker-crashed' && this.#calls.size === 1
    this.#calls.clear()
    this.#probe = undefined
    return calls.filter((call) => {
      const moves = mayMove && !(call.started && isItsFault) && call.move(error)
      if (!moves) call.lose(error)
      return moves
    })
  }

  #hear(message: ToPage): void {
    // A second one, of a script that was asked and had told already.
    if (message.kind === 'turnloop:ready') return
    const call = this.#calls.get(message.id)
    if (call) this.#hearOf(call, message)
    else if (this.#probe?.wireId === message.id) this.#hearProbe(this.#probe, message)
  }

  #hearOf(call: HostedCall, message: CallMessage): void {
    const { id } = message
    switch (message.kind) {
      case 'turnloop:checked':
        this.#limit(call, 0)
        break
      case 'turnloop:progress':
        call.request.context.progress(message.update)
        break
      case 'turnloop:stream':
        call.openStream({
          ack: (count) => this.#link.post({ kind: 'turnloop:ack', id, count }),
          leave: () => this.stop(call, 'nobody reads on'),
        })
        break
      case 'turnloop:chunk':
        call.chunk(message.value)
        break
      case 'turnloop:result':
      case 'turnloop:failure':
        this.#calls.delete(id)
        if (message.state) call.request.context.state = message.state
        if (message.kind === 'turnloop:result') call.succeed(message.value)
        else call.fail(fromWire(message.thrown))
        this.#options.onFree(this)
        break
      default:
      // A kind of a later version.
    }
  }

  #hearProbe(call: HostedCall, message: CallMessage): void {
    this.#probe = undefined
    if (message.kind === 'turnloop:checked') {
      this.#link.post({ kind: 'turnloop:start', id: message.id })
      this.#begin(call, 0)
    } else if (message.kind === 'turnloop:failure') call.fail(fromWire(message.thrown))
    this.#options.onFree(this)
  }

  #begin(call: HostedCall, extraMs: number): void {
    call.started = true
    this.#calls.set(call.wireId, call)
    this.#limit(call, extraMs)
  }

  /** Count the call's time limit from now. */
  #limit(call: HostedCall, extraMs: number): void {
    const { name: toolName, timeoutMs } = call.request.tool
    if (timeoutMs === undefined || call.stopping) return
    call.stopLimit?.()
    call.stopLimit = this.#options.clock.setTimer(
      () => {
        if (call.stopping) return
        call.isLate = true
        this.stop(call, timedOut(toolName, { timeoutMs }))
      },
      Math.min(timeoutMs + extraMs, LONGEST_DELAY_MS),
    )
  }

  #post(call: HostedCall, run: boolean): boolean {
    this.#lastId += 1
    call.wireId = this.#lastId
    try {
      this.#link.post(call.message(run))
      return true
    } catch (cause) {
      call.fail(inputNotCloneable(call.request.tool.name, cause))
      return false
    }
  }
}
