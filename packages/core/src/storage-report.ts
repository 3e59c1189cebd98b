import type { Entry } from './entries.ts'
import type { SessionStore } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'
import type { SessionStorageOptions } from './storage-options.ts'

/** What is done about a full disk. */
export interface RoomOptions {
  readonly store: Pick<SessionStore, 'usage'>
  readonly makeRoom: (() => unknown) | undefined
  retry(): Promise<void>
}

/** Tells people, through the snapshot, whether their conversation is being kept. */
export class StorageReport {
  readonly #view: SessionView
  /** There is nothing by which pages could share the session. */
  #isUnshared: boolean
  /** The bad news that was told last, and that no save has belied since: at each turn it is tried anew. */
  #told: string | undefined
  #isRoomAsked = false
  #wasEvicted = false
  readonly #room: RoomOptions

  constructor({ view, isUnshared }: Pick<SessionStorageOptions, 'view' | 'isUnshared'>, room: RoomOptions) {
    this.#view = view
    this.#isUnshared = isUnshared
    this.#room = room
  }

  /** Show how the storage stands; where that is bad news, those who read events hear it too. */
  report(status: StorageStatus): void {
    const { storage } = this.#view.snapshot
    // What is known of a full disk stays known while it is tried again.
    const { usedBytes, quotaBytes } = storage
    const known = { ...(usedBytes !== undefined && { usedBytes }), ...(quotaBytes !== undefined && { quotaBytes }) }
    const next = this.toStatus({ ...(status.state === 'full' && known), ...status })
    if (storage.state === 'memory' || isSameStatus(storage, next)) return
    this.#view.patch({ storage: next })
    if (next.state === 'full') this.#makeRoom()
    if (storage.state !== 'ready' || next.state === 'ready') return
    const news = next.message ?? next.state
    if (news !== this.#told) this.#view.warn(`The conversation is not being saved: ${news}`)
    this.#told = news
  }

  /** Something was saved: the next bad news is news again. */
  noteSaved(status: StorageStatus): StorageStatus {
    this.#told = undefined
    this.#isRoomAsked = false
    return status
  }

  /** Tell how full it is, and let the app make room: once, with one more try, each time that the disk has filled up. */
  #makeRoom(): void {
    if (this.#isRoomAsked) return
    this.#isRoomAsked = true
    const { makeRoom, retry } = this.#room
    const act = async (): Promise<void> => {
      await makeRoom?.()
      await retry()
    }
    // Owned here: the store never rejects, and what the app throws is told.
    this.#measure().catch(() => {})
    if (makeRoom !== undefined) act().catch((error) => this.#view.warn('makeRoom failed.', error))
  }

  async #measure(): Promise<void> {
    const { usedBytes, quotaBytes } = (await this.#room.store.usage?.()) ?? {}
    const { storage } = this.#view.snapshot
    if (storage.state !== 'full' || usedBytes === undefined || quotaBytes === undefined) return
    this.report({ usedBytes, quotaBytes, ...storage })
  }

  /** Show how much waits, where what is written is not being saved. */
  count(waiting: number): void {
    const { storage } = this.#view.snapshot
    if (storage.state !== 'ready') this.report({ ...storage, waiting })
  }

  /** Where nothing is stored: find out whether the browser has deleted what was. Never rejects. */
  async findEviction(): Promise<void> {
    const use = await this.#room.store.usage?.().catch(() => undefined)
    if (use?.wasEvicted !== true) return
    this.#wasEvicted = true
    this.report(this.#view.snapshot.storage)
    this.#view.warn('The browser has deleted what was stored here. requestPersistence() asks it not to.')
  }

  /** There turned out to be nothing by which pages could share the session. */
  noteUnshared(): void {
    this.#isUnshared = true
    this.report(this.#view.snapshot.storage)
  }

  /** Show these entries and nothing else, as saved; up to sequence `known` they are the ones that are here. */
  show(entries: readonly Entry[], known: number): void {
    const { queue, role } = this.#view.snapshot
    const storage = this.toStatus({ state: 'ready', waiting: 0 })
    this.#view.reset(entries, known, { status: 'idle', queue, role, storage })
  }

  /** Forget what another page showed here beyond sequence `base`: it was never stored. */
  forget(base: number): void {
    const known = this.#view.entries.filter(({ sequence }) => sequence <= base)
    this.show(known, base)
  }

  /** Show what another page has stored, unless it is known by now. Tells whether there was something. */
  showNext(entries: readonly Entry[]): boolean {
    const { snapshot, lastSequence } = this.#view
    if (entries[0]?.sequence !== lastSequence + 1) return false
    const { status, resumable } = snapshot
    this.#view.load(entries, { status: status === 'closed' ? status : 'idle', resumable })
    return true
  }

  /** The status with what is always true of it. */
  toStatus(status: StorageStatus): StorageStatus {
    const always = { ...(this.#isUnshared && { isUnshared: true as const }) }
    return { ...status, ...always, ...(this.#wasEvicted && { wasEvicted: true as const }) }
  }
}

function isSameStatus(a: StorageStatus, b: StorageStatus): boolean {
  return (
    a.state === b.state &&
    a.waiting === b.waiting &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.usedBytes === b.usedBytes &&
    a.quotaBytes === b.quotaBytes &&
    a.path === b.path &&
    a.isUnshared === b.isUnshared &&
    a.wasEvicted === b.wasEvicted
  )
}

/** How the storage of a session stands before anything is known of it. */
export function storageAtStart(isStored: boolean, isUnshared: boolean): StorageStatus {
  return { state: isStored ? 'ready' : 'memory', waiting: 0, ...(isUnshared && { isUnshared: true }) }
}
