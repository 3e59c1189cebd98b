import type { SessionDriver } from './session-driver.ts'
import type { SessionStorage } from './session-storage.ts'
import type { SessionView } from './session-view.ts'

/** What coming to rest works with. */
export interface SessionRestOptions {
  readonly view: SessionView
  readonly storage: SessionStorage
  readonly driver: SessionDriver
  /** Whether this page drives, with nothing but the driver to keep it from coming to rest. */
  isFree(): boolean
  /** Nothing is left to do, and all of it is saved. */
  onRest(): void
}

/** Finds out when a page that drives has nothing left to do. */
export class SessionRest {
  readonly #options: SessionRestOptions
  #isSaving = false

  constructor(options: SessionRestOptions) {
    this.#options = options
  }

  /** Something may have come to its end. */
  note(): void {
    if (this.#isSaving || !this.#isDone) return
    this.#isSaving = true
    // Owned here: a save that fails leaves something to do.
    this.#save().catch(() => {})
  }

  /** What waits to be saved belongs to the driver: as long as it cannot be, another page must not write. */
  get #isDone(): boolean {
    const { driver, view, isFree } = this.#options
    return isFree() && driver.isIdle && view.snapshot.storage.waiting === 0
  }

  async #save(): Promise<void> {
    const { storage, driver, onRest } = this.#options
    // An idle driver with a queue is one that was told to hold it.
    const isQueueHeld = !driver.queue.isEmpty
    storage.isQueueHeld = isQueueHeld
    if (isQueueHeld) storage.saveRecords()
    await storage.flush()
    storage.isQueueHeld = false
    this.#isSaving = false
    if (this.#isDone && driver.queue.isEmpty !== isQueueHeld) onRest()
    else this.note()
  }
}
