import { TurnloopError } from '@turnloop/core'
import { toWire } from './error-wire.ts'
import { type FromHost, HOST_VERSION, readHostMessage, type ToHost } from './host-protocol.ts'
import { HostedSessions, type HostedSessionsOptions } from './hosted-sessions.ts'
import { type LifeLocks, liveAs, onDeath } from './life-lock.ts'

/** What a host talks to one page through: a dedicated worker's global scope, or a port. */
export interface HostPort {
  postMessage(message: unknown): void
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  start?(): void
}

/** Options of `hostSession()`. */
export interface HostSessionOptions extends HostedSessionsOptions {
  /** Only tests need it. Default: the worker's global scope, or, of a `SharedWorker`, each port that connects. */
  port?: HostPort
  /** Only tests need them. Default: the browser's. */
  locks?: LifeLocks
}

/**
 * Drive the sessions of pages in this worker, which is a `Worker` or a `SharedWorker`.
 *
 *     hostSession({ agent, store: indexedDbStore() })
 *
 * Call it once, as soon as the script runs: the pages wait for it. A session is opened when a page asks for it, goes on with what
 * was cut unless `resume` is `'manual'`, and is let go of when no page shows it and nothing is left to do. Pages that drive by
 * themselves, and other workers, may share the sessions: whoever is asked first while nobody drives does it.
 *
 * Throws `bad-option` without agent or store.
 */
export function hostSession(options: HostSessionOptions): void {
  if (options?.agent === undefined || typeof options.store?.claim !== 'function')
    throw new TurnloopError('bad-option', 'hostSession: needs an agent and a store, the same store as the pages.')
  const { locks = globalThis.navigator?.locks } = options
  const life = `turnloop:life:${crypto.randomUUID()}`
  const host: Host = { sessions: new HostedSessions(options), locks, life, isAlive: liveAs(life, locks) }
  // A worker's global scope, which TypeScript takes for a page's: a dedicated one is a port itself.
  const scope = globalThis as unknown as HostPort & Pick<EventTarget, 'addEventListener'>
  if (options.port !== undefined || !('onconnect' in scope)) serve(options.port ?? scope, host)
  else
    scope.addEventListener('connect', (event: Event) => {
      // Only a SharedWorker hears it, and each event brings one port.
      const [port] = (event as MessageEvent).ports
      if (port !== undefined) serve(port, host)
    })
}

interface Host {
  readonly sessions: HostedSessions
  readonly locks: LifeLocks
  readonly life: string
  readonly isAlive: Promise<void>
}

/** Serve one page. */
function serve(port: HostPort, { sessions, locks, life, isAlive }: Host): void {
  const shown = new Map<string, string>()
  let pageLife: string | undefined
  const post = (message: FromHost): void => port.postMessage(message)
  const announce = (): void =>
    void isAlive.then(() => post({ kind: 'turnloop-host:ready', version: HOST_VERSION, life }))
  const leave = (page: string): void => {
    sessions.leave(shown.get(page) ?? '', page)
    shown.delete(page)
  }
  const meet = (name: string): void => {
    if (name === pageLife) return
    pageLife = name
    // A port says nothing when its page dies.
    onDeath(name, locks, () => {
      for (const page of [...shown.keys()]) leave(page)
    })
  }
  port.addEventListener('message', (event) => {
    const message = readHostMessage<ToHost>(event.data)
    switch (message?.kind) {
      case 'turnloop-host:hello':
        meet(message.life)
        return announce()
      case 'turnloop-host:open': {
        const { sessionId, page } = message
        shown.set(page, sessionId)
        sessions.open(sessionId, page).then(
          () => post({ kind: 'turnloop-host:opened', sessionId, page }),
          (error: unknown) => post({ kind: 'turnloop-host:refused', sessionId, thrown: toWire(error) }),
        )
        return
      }
      case 'turnloop-host:leave':
        return leave(message.page)
      case 'turnloop-host:ping':
        return post({ kind: 'turnloop-host:pong' })
      default:
      // Not ours, or of a later version.
    }
  })
  port.start?.()
  announce()
}
