import {
  type AcquireOptions,
  type Clock,
  type SessionChannel,
  type SessionLock,
  type SessionStore,
  StorageError,
} from '@turnloop/core'
import { fromWire } from './error-wire.ts'
import { type DedicatedHost, HostLink, type SharedHost } from './host-link.ts'
import type { FromHost } from './host-protocol.ts'
import { HostSeats, type Place } from './host-seats.ts'
import { type LifeLocks, liveAs } from './life-lock.ts'
import { terminated, type WorkerError } from './worker-error.ts'

/** What a connection is made of. */
export interface HostConnectionOptions {
  readonly factory: () => DedicatedHost | SharedHost
  readonly store: SessionStore
  readonly clock: Clock
  readonly locks: LifeLocks
  readonly restart?: boolean
  readonly startTimeoutMs?: number
  readonly name?: string
}

/** A worker that dies sooner than this after it was started is not replaced: the next one would too. */
const RESTART_PAUSE_MS = 10_000

/** A page's connection to the worker that drives for it: starts it when it is needed, and finds out when it is gone. */
export class HostConnection {
  readonly #options: HostConnectionOptions
  readonly #seats = new HostSeats()
  readonly #life = `turnloop:life:${crypto.randomUUID()}`
  #isAlive: Promise<void> | undefined
  readonly #identity: { readonly label: string; readonly url: undefined }
  #link: HostLink | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  #isDisposed = false

  constructor(options: HostConnectionOptions) {
    this.#options = options
    this.#identity = { label: `Worker "${options.name ?? 'host'}"`, url: undefined }
  }

  /** No lease is ever had by it: to ask for one is to have the worker drive. */
  readonly lock: SessionLock = {
    isElsewhere: true,
    acquire: (sessionId, options = {}) => this.#acquire(sessionId, options),
  }

  /** The store's channel; who joins it has the worker open the session. */
  readonly channel: SessionChannel = {
    join: (sessionId, onMessage, page) => {
      const { channel } = this.#options.store
      if (channel === undefined) throw unshared()
      const line = channel.join(sessionId, onMessage, page)
      this.#seats.add(sessionId, page)
      this.#link?.post({ kind: 'turnloop-host:open', sessionId, page })
      const leave = (): void => {
        line.leave()
        this.#seats.remove(sessionId, page)
        this.#link?.post({ kind: 'turnloop-host:leave', sessionId, page })
      }
      return { post: (message) => line.post(message), leave }
    },
  }

  dispose(): void {
    this.#isDisposed = true
    for (const [sessionId, page] of this.#seats.all())
      this.#link?.post({ kind: 'turnloop-host:leave', sessionId, page })
    this.#link?.end()
    this.#link = undefined
    this.#seats.fail(this.#ended())
  }

  async #acquire(sessionId: string, options: AcquireOptions): Promise<undefined> {
    if (this.#isDisposed) throw this.#ended()
    if (this.#options.store.channel === undefined) throw unshared()
    if (this.#link === undefined) this.#start()
    // It may have been refused before.
    else this.#open(this.#seats.unopened(sessionId))
    // It is asked for where a driver has not answered. That may be another page's; if it is this worker, it is hung.
    if (options.steal) this.#link?.ping()
    return this.#seats.wait(sessionId, options)
  }

  #start(): void {
    const { clock, startTimeoutMs = 10_000 } = this.#options
    this.#startedAt = clock.now()
    this.#seats.reopen()
    const link = new HostLink({
      ...this.#options,
      identity: this.#identity,
      startTimeoutMs,
      life: this.#life,
      onReady: () => this.#open(this.#seats.all()),
      onMessage: (message) => this.#hear(message),
      onFailed: (error) => this.#failed(error, link.wasReady),
    })
    this.#link = link
    // The worker must find the lock of this page held.
    this.#isAlive ??= liveAs(this.#life, this.#options.locks)
    this.#isAlive.then(() => link.start())
  }

  #open(places: readonly Place[]): void {
    for (const [sessionId, page] of places) this.#link?.post({ kind: 'turnloop-host:open', sessionId, page })
  }

  #hear(message: FromHost): void {
    if (message.kind === 'turnloop-host:opened') this.#seats.noteOpened(message.sessionId, message.page)
    if (message.kind === 'turnloop-host:refused') this.#seats.fail(fromWire(message.thrown), message.sessionId)
  }

  #failed(error: WorkerError, wasReady: boolean): void {
    this.#link = undefined
    const { restart, clock } = this.#options
    if (restart && wasReady && clock.now() - this.#startedAt >= RESTART_PAUSE_MS) this.#start()
    else this.#seats.fail(error)
  }

  #ended(): WorkerError {
    return terminated(this.#identity, 'by dispose()')
  }
}

function unshared(): StorageError {
  return new StorageError(
    'storage-unavailable',
    'This page cannot reach its worker: the store has no channel. Give connectSession one with lock and channel, such as ' +
      'indexedDbStore(), in a secure context (HTTPS).',
  )
}
