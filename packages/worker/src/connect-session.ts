import {
  type Clock,
  createAgent,
  openSession,
  type Session,
  type SessionHost,
  type SessionStore,
  StorageError,
  systemClock,
  TurnloopError,
} from '@turnloop/core'
import { HostConnection } from './host-connection.ts'
import type { DedicatedHost, SharedHost } from './host-link.ts'
import type { LifeLocks } from './life-lock.ts'

/** Options of `connectSession()`. */
export interface ConnectSessionOptions {
  /** The same as the worker's, with a lock and a channel: `indexedDbStore()`. */
  store: SessionStore
  /**
   * Whether a worker that dies, or does not answer, is replaced at once, at most every 10 seconds; the new one resumes what was
   * cut. Default `false`: that is an error, and the next command starts a new worker.
   */
  restart?: boolean
  /** How long a worker may take until its script calls `hostSession`. Default 10,000. */
  startTimeoutMs?: number
  /** For messages. Default `'host'`. */
  name?: string
  /** Default: the machine's. */
  clock?: Clock
  /** Only tests need them. Default: the browser's. */
  locks?: LifeLocks
}

/** A worker that drives sessions for this page. */
export interface ConnectedHost extends SessionHost {
  /** Let go of the worker for good: a `Worker` is ended, with what runs in it. What is asked from now on is refused. */
  dispose(): void
}

/**
 * Let sessions be driven by a worker, in which `hostSession` was called: this page only follows, and its closing interrupts
 * nothing where that is a `SharedWorker`.
 *
 *     const host = connectSession(() => new SharedWorker(new URL('./host.ts', import.meta.url), { type: 'module' }), { store })
 *     const session = host.open('trip-to-brno')
 *
 * The worker is started when the first session is opened. `host.open` gives a session like that of `openSession`; the agent is
 * the worker's, so `setAgent` changes nothing, and `extra` of `send` stays here. Nothing is decided in the page but what people
 * decide: `approve`, `deny` and `answer` go to the worker.
 *
 * A worker that cannot be had, dies or does not answer is `snapshot.error`, and rejects what was asked, with a `WorkerError`:
 * `worker-failed-to-load`, `worker-crashed`, `worker-terminated`; `storage-unavailable` where a store has no lock or no channel.
 * Throws `bad-option` without factory or store.
 */
export function connectSession(
  factory: () => DedicatedHost | SharedHost,
  options: ConnectSessionOptions,
): ConnectedHost {
  if (typeof factory !== 'function' || typeof options?.store?.claim !== 'function')
    throw new TurnloopError('bad-option', 'connectSession: needs a function that makes a worker, and a store.')
  const { store, clock = systemClock } = options
  const { locks = globalThis.navigator?.locks } = options
  const connection = new HostConnection({ ...options, factory, clock, locks })
  const agent = createAgent({ name: 'host', model: NOWHERE, clock })
  return {
    store,
    open: (id: string): Session =>
      openSession({ agent, id, store, lock: connection.lock, channel: connection.channel }),
    dispose: () => connection.dispose(),
  }
}

/** A page that only follows asks no model. */
const NOWHERE = {
  provider: 'turnloop',
  modelId: 'host',
  stream(): never {
    throw new StorageError('storage-unavailable', 'This page drives no session: its worker does.')
  },
}
