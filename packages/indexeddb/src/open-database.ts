import { type Clock, StorageError } from '@turnloop/core'
import { openDB } from 'idb'
import type { Migration, SessionDatabase, SessionSchema } from './migrations.ts'
import { isConnectionLost, nameOf } from './storage-errors.ts'

/** A database that is opened when it is needed, and again when it was lost. */
export interface Connection {
  /**
   * Do something with the open database; once more, on a new connection, if this one is lost on the way. So `work` must
   * be safe to repeat.
   *
   * Throws what `work` throws, and `StorageError`: `blocked-by-other-tab`, `newer-version` or `storage-unavailable` if
   * the database does not open, and `work` was not begun; `disconnected` if the new connection fails too. After the
   * second such failure in a row there is a pause, twice as long each time, in which every use is `disconnected` at once.
   */
  use<T>(work: (database: SessionDatabase) => Promise<T>): Promise<T>
}

/** Which database, and how long to wait for it. */
export interface ConnectionOptions {
  readonly name: string
  readonly migrations: readonly Migration[]
  readonly openTimeoutMs: number
  readonly clock: Clock
  /** The database was not there, and has been made. Called before any use of it. */
  onCreated?(): void
  /** The database is open, and is used once this has resolved. What it throws is passed over. */
  onOpened?(database: SessionDatabase): Promise<void>
}

/**
 * Create a connection that opens its database at the first use.
 *
 * It closes at once when another tab wants to upgrade or delete the database, and opens again at the next use. An
 * opening that takes too long goes on behind: until it ends each use fails at once, after that they succeed.
 */
export function connectDatabase(options: ConnectionOptions): Connection {
  const { name, clock } = options
  let current: Opening | undefined
  let wasOpen = false

  const forget = (opening: Opening): void => {
    if (current === opening) current = undefined
  }
  const open = async (isAgain: boolean): Promise<SessionDatabase> => {
    current ??= startOpening(options, forget)
    try {
      const database = await current.ready
      wasOpen = true
      return database
    } catch (error) {
      throw isAgain ? disconnected(name, error) : openError(name, error, wasOpen)
    }
  }
  const discard = (database: SessionDatabase): void => {
    if (current?.database === database) current = undefined
    database.close()
  }

  const attempt = async <T>(work: (database: SessionDatabase) => Promise<T>): Promise<T> => {
    let lost: unknown
    for (const isAgain of [false, true]) {
      const database = await open(isAgain)
      try {
        return await work(database)
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        discard(database)
        lost = error
      }
    }
    throw disconnected(name, lost)
  }
  const rest = createRest(clock)

  return {
    async use(work) {
      if (rest.isOn()) throw disconnected(name, undefined)
      try {
        const answer = await attempt(work)
        rest.clear()
        return answer
      } catch (error) {
        if (error instanceof StorageError && error.code === 'disconnected') rest.fail()
        throw error
      }
    },
  }
}

const FIRST_REST_MS = 500
const LONGEST_REST_MS = 10_000

/** The pause after failures in a row. A browser whose storage has died answers at once, so nothing else slows a page down. */
function createRest(clock: Clock): { isOn(): boolean; fail(): void; clear(): void } {
  let failures = 0
  let stop: (() => void) | undefined
  const end = (): void => {
    stop?.()
    stop = undefined
  }
  return {
    isOn: () => stop !== undefined,
    fail() {
      failures += 1
      end()
      if (failures > 1) stop = clock.setTimer(end, Math.min(FIRST_REST_MS * 2 ** (failures - 2), LONGEST_REST_MS))
    },
    clear() {
      failures = 0
      end()
    },
  }
}

/** One request to open the database, from its start until the connection is lost. */
interface Opening {
  /** Rejects when the time is over; replaced when the database opens after all. */
  ready: Promise<SessionDatabase>
  database?: SessionDatabase
}

function startOpening(options: ConnectionOptions, forget: (opening: Opening) => void): Opening {
  const { name, clock, openTimeoutMs } = options
  let isBlocked = false
  const onLost = (): void => {
    forget(opening)
    opening.database?.close()
  }
  const onBlocked = (): void => {
    isBlocked = true
  }
  const request = requestDatabase(options, {
    onBlocked,
    onLost,
    onReady: (database) => {
      // At once: whoever wants it closed must not have to wait.
      opening.database = database
    },
  })
  const late = new Promise<never>((_, reject) => {
    const stop = clock.setTimer(() => reject(lateError(name, openTimeoutMs, isBlocked)), openTimeoutMs)
    request.then(stop, stop)
  })
  const opening: Opening = { ready: Promise.race([request, late]) }
  request.then(
    () => {
      opening.ready = request
    },
    // The next use tries again.
    () => forget(opening),
  )
  return opening
}

interface OpeningEvents {
  onBlocked(): void
  onLost(): void
  onReady(database: SessionDatabase): void
}

/** Async so that a browser which throws at the mention of `indexedDB` rejects like any other that refuses. */
async function requestDatabase(
  { name, migrations, onCreated, onOpened }: ConnectionOptions,
  { onBlocked, onLost, onReady }: OpeningEvents,
): Promise<SessionDatabase> {
  let isNew = false
  const opened = await openDB<SessionSchema>(name, migrations.length, {
    upgrade: (database, oldVersion) => {
      isNew = oldVersion === 0
      for (const migrate of migrations.slice(oldVersion)) migrate(database)
    },
    blocked: onBlocked,
    blocking: onLost,
    terminated: onLost,
  })
  onReady(opened)
  if (isNew) onCreated?.()
  await onOpened?.(opened).catch(() => {})
  return opened
}

function lateError(name: string, openTimeoutMs: number, isBlocked: boolean): StorageError {
  const facts = { database: name, openTimeoutMs }
  return isBlocked
    ? new StorageError(
        'blocked-by-other-tab',
        `Database ${name} waits for another tab that still uses its older version. Close or reload that tab; then try again.`,
        { facts },
      )
    : new StorageError(
        'storage-unavailable',
        `Database ${name} did not open within ${openTimeoutMs} ms. Private windows of some browsers never open one; else ` +
          'try again, or restart the browser.',
        { facts },
      )
}

function openError(name: string, cause: unknown, wasOpen: boolean): unknown {
  const facts = { database: name }
  if (cause instanceof StorageError || nameOf(cause) === 'QuotaExceededError') return cause
  if (nameOf(cause) === 'VersionError') {
    return new StorageError(
      'newer-version',
      `Database ${name} was written by a newer version of this page. Reload the page.`,
      { cause, facts },
    )
  }
  if (wasOpen && isConnectionLost(cause)) return disconnected(name, cause)
  return new StorageError(
    'storage-unavailable',
    `Database ${name} cannot be opened (${nameOf(cause) ?? 'unknown'}). Check that this site may store data; private windows of ` +
      'some browsers may not.',
    { cause, facts },
  )
}

function disconnected(name: string, cause: unknown): StorageError {
  return new StorageError(
    'disconnected',
    `The browser closed database ${name}, and opening it again did not help. Try again later, or reload the page.`,
    { cause, facts: { database: name } },
  )
}
