import type { Clock, JsonObject, ToolContext } from '@turnloop/core'
import { fromWire, reasonToWire } from './error-wire.ts'
import { callMessage, type HostedCall, inputNotCloneable } from './hosted-call.ts'
import { onAbort } from './on-abort.ts'
import type { ToolDescriptor, ToPage } from './protocol.ts'
import { forCall, terminated, type WorkerError, type WorkerIdentity } from './worker-error.ts'
import { openLink, type ToolWorker, type WorkerLink } from './worker-link.ts'

/** What a host needs. */
export interface HostOptions {
  readonly factory: () => ToolWorker
  readonly identity: WorkerIdentity
  readonly graceMs: number
  readonly startTimeoutMs: number
  readonly clock: Clock
}

/** One worker and the order in which its calls may start. */
interface Live {
  readonly link: WorkerLink
  ready: boolean
  /** Calls that are checked and wait for their turn, oldest first. */
  readonly waiting: number[]
  /** The call whose `start` has been followed by no sign of life yet. */
  starting: number | undefined
}

/**
 * Keeps at most one worker alive, and the calls that run in it or wait for it.
 *
 * The worker is started when it is needed, and again after it was lost. Every call settles: none outlives its worker.
 */
export class WorkerHost {
  readonly #options: HostOptions
  readonly #calls = new Map<number, HostedCall>()
  #live: Live | undefined
  #lastId = 0
  #disposed = false

  constructor(options: HostOptions) {
    this.#options = options
  }

  /** What the worker serves; starts it if there is none. Rejects with `WorkerError`, or with the signal's reason. */
  list(signal: AbortSignal): Promise<readonly ToolDescriptor[]> {
    return new Promise((resolve, reject) => {
      if (this.#disposed) return reject(this.#disposedError())
      const release = onAbort(signal, () => reject(signal.reason))
      if (!signal.aborted) this.#connect().link.ready.then(resolve, reject).finally(release)
    })
  }

  /** Run one call. Abort asks the tool to stop and ends the worker if it does not within `graceMs`. */
  run(toolName: string, input: JsonObject, context: ToolContext): Promise<unknown> {
    const { signal } = context
    return new Promise((resolve, reject) => {
      if (this.#disposed) return reject(forCall(this.#disposedError(), toolName, false))
      if (signal.aborted) return reject(signal.reason)
      this.#lastId += 1
      const id = this.#lastId
      const release = onAbort(signal, () => this.#cancel(id))
      const call = { toolName, input, context, started: false, crashed: false, release, resolve, reject }
      this.#calls.set(id, call)
      const live = this.#connect()
      if (live.ready) this.#send(live, id)
    })
  }

  /** End the worker for good and answer every call. */
  dispose(): void {
    this.#disposed = true
    if (this.#live) this.#lose(this.#live, this.#disposedError())
  }

  #connect(): Live {
    if (this.#live) return this.#live
    const link = openLink({
      ...this.#options,
      onMessage: (message) => this.#hear(live, message),
      onCrash: (error) => this.#lose(live, error),
    })
    const live: Live = { link, ready: false, waiting: [], starting: undefined }
    this.#live = live
    link.ready.then(
      () => this.#open(live),
      (error: WorkerError) => this.#lose(live, error),
    )
    return live
  }

  #open(live: Live): void {
    live.ready = true
    for (const id of [...this.#calls.keys()]) this.#send(live, id)
  }

  #send(live: Live, id: number): void {
    const call = this.#calls.get(id)
    if (!call) return
    try {
      live.link.post(callMessage(id, call))
    } catch (cause) {
      this.#take(id)?.reject(inputNotCloneable(call, cause))
    }
  }

  #hear(live: Live, message: ToPage): void {
    switch (message.kind) {
      case 'turnloop:checked':
        live.waiting.push(message.id)
        break
      case 'turnloop:progress':
        this.#calls.get(message.id)?.context.progress(message.update)
        return
      case 'turnloop:result':
        this.#take(message.id)?.resolve(message.value)
        break
      case 'turnloop:failure':
        this.#take(message.id)?.reject(fromWire(message.thrown))
        break
      case 'turnloop:pong':
        break
      default:
        // A kind of a later version, or a second `ready`.
        return
    }
    // An answer to the call that is starting is as good a sign of life as its pong.
    if (live.starting === message.id) live.starting = undefined
    this.#startNext(live)
  }

  #startNext(live: Live): void {
    while (live.starting === undefined) {
      const id = live.waiting.shift()
      if (id === undefined) return
      const call = this.#calls.get(id)
      // It may have been cancelled while it waited.
      if (!call) continue
      live.starting = id
      call.started = true
      live.link.post({ kind: 'turnloop:start', id })
      live.link.post({ kind: 'turnloop:ping', id })
    }
  }

  #cancel(id: number): void {
    const live = this.#live
    const call = this.#calls.get(id)
    if (!live || !call) return
    const { signal } = call.context
    if (live.ready) live.link.post({ kind: 'turnloop:cancel', id, reason: reasonToWire(signal.reason) })
    if (!call.started) {
      this.#take(id)?.reject(signal.reason)
      return
    }
    const { graceMs, identity, clock } = this.#options
    const why = `because ${call.toolName} did not stop within ${graceMs} ms`
    call.stopGrace = clock.setTimer(() => this.#lose(live, terminated(identity, why)), graceMs)
  }

  /** End a worker and settle what is left of it: started calls are answered, the others move to a new worker. */
  #lose(live: Live, error: WorkerError): void {
    if (this.#live !== live) return
    this.#live = undefined
    live.link.end(error)
    for (const [id, call] of [...this.#calls]) {
      if (!this.#mayMove(call, error)) this.#take(id)?.reject(forCall(error, call.toolName, call.started))
    }
    if (this.#calls.size > 0) this.#connect()
  }

  #mayMove(call: HostedCall, error: WorkerError): boolean {
    if (call.started || this.#disposed || error.code === 'worker-failed-to-load') return false
    if (error.code !== 'worker-crashed') return true
    // Once only, or a worker that always crashes would be restarted for ever.
    const first = !call.crashed
    call.crashed = true
    return first
  }

  /** Take a call out of the books, with its listener and its timer. */
  #take(id: number): HostedCall | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    call?.release()
    call?.stopGrace?.()
    return call
  }

  #disposedError(): WorkerError {
    return terminated(this.#options.identity, 'by dispose(); make a new source with workerTools()')
  }
}
