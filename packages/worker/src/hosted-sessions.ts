import {
  type Agent,
  type OpenSessionOptions,
  openSession,
  type Session,
  type SessionLock,
  type SessionStore,
  StorageError,
} from '@turnloop/core'

/** What hosted sessions are opened with. */
export interface HostedSessionsOptions extends Pick<OpenSessionOptions, 'resume' | 'saveTimeoutMs'> {
  /** The agent of all sessions, or of each by its id. */
  agent: Agent | ((sessionId: string) => Agent)
  /** The same as the pages', with a lock and a channel: `indexedDbStore()`. */
  store: SessionStore
}

/** One session, and the pages that show it. */
interface Hosted {
  readonly session: Session
  readonly pages: Set<string>
}

/** The sessions of one worker, each open as long as a page shows it or something is left to do. */
export class HostedSessions {
  readonly #options: HostedSessionsOptions
  readonly #hosted = new Map<string, Hosted>()

  constructor(options: HostedSessionsOptions) {
    this.#options = options
  }

  /** Drive a session for a page; resolves once it is loaded. Rejects with why it cannot be hosted. */
  async open(sessionId: string, page: string): Promise<void> {
    const hosted = this.#hosted.get(sessionId) ?? this.#host(sessionId)
    hosted.pages.add(page)
    await loaded(hosted.session)
  }

  /** A page shows a session no longer. */
  leave(sessionId: string, page: string): void {
    const hosted = this.#hosted.get(sessionId)
    if (hosted?.pages.delete(page)) this.#letGo(hosted)
  }

  #host(sessionId: string): Hosted {
    const { agent, resume, saveTimeoutMs, store } = this.#options
    const { lock, channel } = store
    if (lock === undefined || channel === undefined) throw unshared()
    const pages = new Set<string>()
    const hostLock: SessionLock = {
      acquire: (id, options) => lock.acquire(id, options),
      drivesFor: (page) => pages.has(page),
    }
    const options: OpenSessionOptions = {
      agent: typeof agent === 'function' ? agent(sessionId) : agent,
      id: sessionId,
      store,
      channel,
      lock: hostLock,
      ...(resume && { resume }),
      ...(saveTimeoutMs !== undefined && { saveTimeoutMs }),
    }
    const hosted = { session: openSession(options), pages }
    this.#hosted.set(sessionId, hosted)
    hosted.session.subscribe(() => this.#letGo(hosted))
    return hosted
  }

  /** Close a session that no page shows, as soon as nothing is left to do. */
  #letGo({ session, pages }: Hosted): void {
    const { status, storage } = session.getSnapshot()
    const isAtRest = (status === 'idle' || status === 'awaiting') && storage.state === 'ready' && storage.waiting === 0
    if (pages.size > 0 || !isAtRest || this.#hosted.get(session.id)?.session !== session) return
    this.#hosted.delete(session.id)
    // All is saved; what goes wrong now concerns no one.
    session.close().catch(() => {})
  }
}

/** Resolves once a session is no longer loading. */
function loaded(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (session.getSnapshot().status === 'loading') return
      stop()
      resolve()
    }
    let stop = (): void => {}
    stop = session.subscribe(look)
    look()
  })
}

function unshared(): StorageError {
  return new StorageError(
    'storage-unavailable',
    'No session can be hosted here: the store has no lock or no channel. Give hostSession one with both, such as ' +
      'indexedDbStore(), in a secure context (HTTPS).',
  )
}
