import type { Entry, JsonObject } from '@turnloop/core'
import { type IndexedDbStore, type IndexedDbStoreOptions, indexedDbStore } from '@turnloop/indexeddb'
import { deleteDB } from 'idb'
import { afterEach, vi } from 'vitest'

const names: string[] = []
const heldOpen: IDBDatabase[] = []

/** A database name of the test's own; the database is deleted when the test has ended. */
export function freshName(): string {
  const name = `test-${crypto.randomUUID()}`
  names.push(name)
  return name
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const database of heldOpen.splice(0)) database.close()
  // Not waited for: WebKit erases a database only long after a page that is gone held it. No name is used twice.
  for (const name of names.splice(0)) deleteDB(name).catch(() => {})
})

/** A store on a database of its own, and that database's name. */
export function freshStore(options: IndexedDbStoreOptions = {}): { store: IndexedDbStore; name: string } {
  const name = freshName()
  return { store: indexedDbStore({ ...options, name }), name }
}

/** An entry of a session's log. */
export function entryAt(sequence: number, note: unknown = `entry ${sequence}`): Entry {
  // Some tests store what no entry should hold.
  const patch = { note } as JsonObject
  return { sequence, at: 1, type: 'state-changed', patch }
}

/** A tab that knows nothing of versions: it keeps its connection whoever asks for it, until the test ends. */
export async function openStubbornTab(name: string, version: number): Promise<IDBDatabase> {
  const database = await answerOf(indexedDB.open(name, version))
  heldOpen.push(database)
  return database
}

/** The result of a request. */
export function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}

/** The next event of a name. */
export function eventOf(target: EventTarget, name: string): Promise<Event> {
  return new Promise((resolve) => target.addEventListener(name, resolve, { once: true }))
}

/** Every request to open a database from now on, oldest first. */
export function watchOpens(): { readonly requests: IDBOpenDBRequest[] } {
  const opens = vi.spyOn(IDBFactory.prototype, 'open')
  return {
    get requests() {
      return opens.mock.results.flatMap((result) => (result.type === 'return' ? [result.value] : []))
    },
  }
}

/** Wait for the next request to open a database. */
export function nextOpen(): Promise<IDBOpenDBRequest> {
  const open = IDBFactory.prototype.open
  return new Promise((resolve) => {
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(function (this: IDBFactory, name, version) {
      const request = open.call(this, name, version)
      resolve(request)
      return request
    })
  })
}
