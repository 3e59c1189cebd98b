import type { Entry } from './entries.ts'
import type { SessionView } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'

/** Tells people, through the snapshot, whether their conversation is being kept. */
export class StorageReport {
  readonly #view: SessionView
  /** There is nothing by which pages could share the session. */
  #isUnshared: boolean
  /** The bad news that was told last, and that no save has belied since: at each turn it is tried anew. */
  #told: string | undefined

  constructor(view: SessionView, isUnshared: boolean) {
    this.#view = view
    this.#isUnshared = isUnshared
  }

  /** Show how the storage stands; where that is bad news, those who read events hear it too. */
  report(status: StorageStatus): void {
    const { storage } = this.#view.snapshot
    const next = this.toStatus(status)
    if (storage.state === 'memory' || isSameStatus(storage, next)) return
    this.#view.patch({ storage: next })
    if (storage.state !== 'ready' || next.state === 'ready') return
    const news = next.message ?? next.state
    if (news !== this.#told) this.#view.warn(`The conversation is not being saved: ${news}`)
    this.#told = news
  }

  /** Something was saved: the next bad news is news again. */
  noteSaved(): void {
    this.#told = undefined
  }

  /** Show how much waits, where what is written is not being saved. */
  count(waiting: number): void {
    const { storage } = this.#view.snapshot
    if (storage.state !== 'ready') this.report({ ...storage, waiting })
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
    return { ...status, ...(this.#isUnshared && { isUnshared: true }) }
  }
}

function isSameStatus(a: StorageStatus, b: StorageStatus): boolean {
  return (
    a.state === b.state &&
    a.waiting === b.waiting &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.isUnshared === b.isUnshared
  )
}

/** How the storage of a session stands before anything is known of it. */
export function storageAtStart(isStored: boolean, isUnshared: boolean): StorageStatus {
  return { state: isStored ? 'ready' : 'memory', waiting: 0, ...(isUnshared && { isUnshared: true }) }
}
