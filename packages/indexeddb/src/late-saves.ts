import type { Clock, LastSave } from '@turnloop/core'
import { type DBSchema, type IDBPDatabase, openDB, unwrap } from 'idb'

/** What a page wanted saved as it went. */
export interface LateSave extends LastSave {
  readonly sessionId: string
  /** Of the last write that this page had asked for before. */
  readonly serial: number
}

/**
 * What pages wanted saved as they went, by session, until it has joined its log.
 *
 * In a database of its own. A transaction that is committed, and still waits for another one of its database when its page
 * goes, is dropped (measured in Chromium, where all that write wait for each other); here there is nothing to wait for.
 * Nothing rejects, and nothing waits longer than a second: without it a page that goes loses what it had not saved.
 */
export interface LateSaves {
  /** Write it and commit before this returns, if the database is open. Throws what the database throws. */
  put(save: LateSave): void
  get(sessionId: string): Promise<LateSave | undefined>
  all(): Promise<LateSave[]>
  remove(sessionId: string): Promise<void>
}

interface LateSchema extends DBSchema {
  saves: { key: string; value: LateSave }
}

type LateDatabase = IDBPDatabase<LateSchema>

const PATIENCE_MS = 1_000

/** The late saves that belong to a database. Opens at the first `get` or `all`. */
export function createLateSaves(name: string, clock: Clock): LateSaves {
  let current: LateDatabase | undefined
  let opening: Promise<LateDatabase> | undefined
  let isDeaf = false

  const close = (): void => {
    current?.close()
    current = undefined
    opening = undefined
  }
  const open = async (): Promise<LateDatabase> => {
    current = await openDB<LateSchema>(`${name}-late`, 1, {
      upgrade: (database) => void database.createObjectStore('saves'),
      blocking: close,
      terminated: close,
    })
    isDeaf = false
    return current
  }
  const ask = async <T>(work: (database: LateDatabase) => Promise<T>): Promise<T | undefined> => {
    if (isDeaf) return undefined
    opening ??= open()
    const answer = opening.then(work).catch(() => {
      // Closed, or refused: the next one tries again.
      close()
      return undefined
    })
    return within(answer, clock, () => {
      isDeaf = true
    })
  }

  return {
    put(save) {
      if (current === undefined) return
      const transaction = unwrap(current).transaction('saves', 'readwrite', { durability: 'relaxed' })
      try {
        transaction.objectStore('saves').put(save, save.sessionId)
        transaction.commit()
      } catch (error) {
        transaction.abort()
        throw error
      }
    },
    get: (sessionId) => ask((database) => database.get('saves', sessionId)),
    all: async () => (await ask((database) => database.getAll('saves'))) ?? [],
    remove: (sessionId) => ask((database) => database.delete('saves', sessionId)),
  }
}

/** The answer, or `undefined` when it takes too long. */
function within<T>(answer: Promise<T>, clock: Clock, onLate: () => void): Promise<T | undefined> {
  return new Promise((resolve) => {
    const stop = clock.setTimer(() => {
      onLate()
      resolve(undefined)
    }, PATIENCE_MS)
    const settle = (value: T): void => {
      stop()
      resolve(value)
    }
    answer.then(settle, stop)
  })
}
