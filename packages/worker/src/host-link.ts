import type { Clock } from '@turnloop/core'
import { type FromHost, HOST_VERSION, readHostMessage, type ToHost } from './host-protocol.ts'
import { type LifeLocks, onDeath } from './life-lock.ts'
import { createFailed, loadFailed, versionDiffers, WorkerError, type WorkerIdentity } from './worker-error.ts'

/** What is used of a `Worker`. */
export interface DedicatedHost {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  addEventListener(type: 'error' | 'messageerror', listener: (event: Event) => void): void
  terminate(): void
}

/** What is used of a `SharedWorker`. */
export interface SharedHost {
  readonly port: {
    postMessage(message: unknown): void
    addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
    start(): void
    close(): void
  }
  addEventListener(type: 'error', listener: (event: Event) => void): void
}

/** What a link needs. */
export interface HostLinkOptions {
  readonly factory: () => DedicatedHost | SharedHost
  readonly identity: WorkerIdentity
  readonly startTimeoutMs: number
  readonly clock: Clock
  readonly locks: LifeLocks
  /** The lock that this page holds. */
  readonly life: string
  onReady(): void
  onMessage(message: FromHost): void
  /** It failed to load, died or does not answer, and has been ended already. Called once at most. */
  onFailed(error: WorkerError): void
}

/** How long a worker may take to answer when it is asked whether it is there. */
const PONG_MS = 5000

/** One worker that drives for this page, from its creation to its end. */
export class HostLink {
  readonly #options: HostLinkOptions
  #state: 'starting' | 'ready' | 'ended' = 'starting'
  /** Whether it has ever answered. */
  wasReady = false
  #post: (message: ToHost) => void = () => {}
  #end = (): void => {}
  #stopTimer: (() => void) | undefined
  #stopWatching = (): void => {}

  constructor(options: HostLinkOptions) {
    this.#options = options
    const { clock, startTimeoutMs, identity } = options
    this.#stopTimer = clock.setTimer(() => this.#fail(silent(identity, startTimeoutMs)), startTimeoutMs)
  }

  /** Create the worker and shake hands with it. */
  start(): void {
    const { factory, identity, life } = this.#options
    try {
      this.#attach(factory())
      this.#post({ kind: 'turnloop-host:hello', version: HOST_VERSION, life })
    } catch (cause) {
      this.#fail(createFailed(identity, cause))
    }
  }

  post(message: ToHost): void {
    if (this.#state === 'ready') this.#post(message)
  }

  /** Find out whether it still answers. */
  ping(): void {
    if (this.#state !== 'ready' || this.#stopTimer !== undefined) return
    const { clock, identity } = this.#options
    this.#stopTimer = clock.setTimer(() => this.#fail(hung(identity)), PONG_MS)
    this.#post({ kind: 'turnloop-host:ping' })
  }

  /** Nothing is heard of it any more. A dedicated worker is terminated; a shared one goes on for others. */
  end(): void {
    this.#state = 'ended'
    this.#clearTimer()
    this.#stopWatching()
    this.#end()
  }

  #attach(worker: DedicatedHost | SharedHost): void {
    const port = 'port' in worker ? worker.port : worker
    port.addEventListener('message', (event) => {
      const message = readHostMessage<FromHost>(event.data)
      if (message !== undefined) this.#hear(message)
    })
    worker.addEventListener('error', (event) => this.#noteError(event))
    this.#post = (message) => port.postMessage(message)
    this.#end = () => ('port' in worker ? worker.port.close() : worker.terminate())
    if ('port' in worker) worker.port.start()
  }

  #hear(message: FromHost): void {
    const { onMessage, onReady, identity, locks, life } = this.#options
    if (message.kind === 'turnloop-host:pong') this.#clearTimer()
    else if (this.#state === 'ready') onMessage(message)
    if (this.#state !== 'starting' || message.kind !== 'turnloop-host:ready') return
    if (message.version !== HOST_VERSION) {
      this.#fail(versionDiffers(identity, message.version, HOST_VERSION))
      return
    }
    this.#clearTimer()
    this.#state = 'ready'
    this.wasReady = true
    // Once more: what is posted before a worker's script listens may be lost.
    this.#post({ kind: 'turnloop-host:hello', version: HOST_VERSION, life })
    this.#stopWatching = onDeath(message.life, locks, () => this.#fail(died(identity)))
    onReady()
  }

  /** Before it is ready, its script did not come or threw. Later it is an error of a tool, say, which the browser reports. */
  #noteError(event: Event): void {
    if (this.#state !== 'starting') return
    event.preventDefault()
    this.#fail(loadFailed(this.#options.identity, event))
  }

  #fail(error: WorkerError): void {
    if (this.#state === 'ended') return
    this.end()
    this.#options.onFailed(error)
  }

  #clearTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }
}

function silent({ label, url }: WorkerIdentity, startTimeoutMs: number): WorkerError {
  const message = `${label} did not answer within ${startTimeoutMs} ms. Its script must call hostSession() as soon as it runs.`
  return new WorkerError('worker-failed-to-load', message, { facts: { stage: 'handshake', url } })
}

function died({ label, url }: WorkerIdentity): WorkerError {
  return new WorkerError('worker-crashed', `${label} is gone. The next command starts a new one.`, {
    facts: { stage: 'run', url },
  })
}

function hung({ label, url }: WorkerIdentity): WorkerError {
  return new WorkerError('worker-crashed', `${label} has not answered for ${PONG_MS} ms.`, {
    facts: { stage: 'run', url },
  })
}
