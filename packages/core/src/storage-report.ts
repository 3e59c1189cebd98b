import type { SessionView } from './session-view.ts'
import type { StorageStatus } from './snapshot.ts'

/** Tells people, through the snapshot, whether their conversation is being kept. */
export class StorageReport {
  readonly #view: SessionView
  /** There is nothing by which pages could share the session. */
  #isUnshared: boolean

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
    if (storage.state === 'ready' && next.state !== 'ready')
      this.#view.warn(`The conversation is not being saved: ${next.message ?? next.state}`)
  }

  /** There turned out to be nothing by which pages could share the session. */
  noteUnshared(): void {
    this.#isUnshared = true
    this.report(this.#view.snapshot.storage)
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
