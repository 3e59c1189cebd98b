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
  for (const name of names.splice(0)) {
    localStorage.removeItem(`turnloop:${name}`)
    // Not waited for: WebKit erases a database only long after a page that is gone held it. No name is used twice.
    for (const database of [name, `${name}-late`]) deleteDB(database).catch(() => {})
  }
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

/** Every transaction from now on; those for late saves apart. */
export function watchTransactions(): { readonly calls: Parameters<IDBDatabase['transaction']>[] } {
  const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
  return {
    get calls() {
      return transactions.mock.calls.filter((_, index) => !isLate(transactions.mock.contexts[index]))
    },
  }
}

/** Let the next transactions be refused, as a connection does that is closed or whose browser lost its storage. */
export function refuseTransactions(error: string, times: number): void {
  const { transaction } = IDBDatabase.prototype
  let left = times
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
    if (left === 0 || isLate(this)) return transaction.apply(this, args)
    left -= 1
    throw new DOMException('lost', error)
  })
}

function isLate(database: unknown): boolean {
  return database instanceof IDBDatabase && database.name.endsWith('-late')
}

/** The next event of a name. */
export function eventOf(target: EventTarget, name: string): Promise<Event> {
  return new Promise((resolve) => target.addEventListener(name, resolve, { once: true }))
}

/** Every request to open a database from now on, oldest first; those for late saves apart. */
export function watchOpens(): { readonly requests: IDBOpenDBRequest[] } {
  const opens = vi.spyOn(IDBFactory.prototype, 'open')
  return {
    get requests() {
      return opens.mock.results.flatMap((result, index) =>
        result.type === 'return' && !opens.mock.calls[index]?.[0].endsWith('-late') ? [result.value] : [],
      )
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
