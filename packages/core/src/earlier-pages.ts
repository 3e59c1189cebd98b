import type { Entry } from './entries.ts'
import type { SessionStore } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import { type EarlierEntries, readBefore } from './stored-session.ts'

/** How many entries are read at once when all are wanted: between two reads the page gets to do other things. */
const CHUNK = 2000

/** What earlier pages are made of. */
export interface EarlierPagesOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly view: SessionView
  /** Waits for a store no longer than a save may take. */
  bounded<T>(answer: Promise<T>): Promise<T>
  /** These are known from now on. */
  onRead(entries: readonly Entry[]): void
}

/** Brings what stands in a log before the part that a session was opened with. */
export class EarlierPages {
  readonly #options: EarlierPagesOptions
  #reading: Promise<void> | undefined
  #showing: Promise<void> | undefined

  constructor(options: EarlierPagesOptions) {
    this.#options = options
  }

  /** Read all of it; what is shown stays as it is. Throws what the store throws. */
  all(): Promise<void> {
    if (this.#options.view.log.isWhole) return Promise.resolve()
    this.#reading ??= this.#bring(0).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Something may have happened that asks for it. Owned here: until it is read, the state is shown as it was. */
  note(): void {
    if (this.#options.view.needsPast) this.all().catch(() => {})
  }

  /** Show about `count` more messages, whole turns, in one change; two at once are one. Throws what the store throws. */
  show(count: number): Promise<void> {
    this.#showing ??= this.#bring(count).finally(() => {
      this.#showing = undefined
    })
    return this.#showing
  }

  /** Read until there is enough to show `count` more messages, or with 0 until nothing is left to read. */
  async #bring(count: number): Promise<void> {
    const { view, onRead } = this.#options
    const { log } = view
    const { first } = log
    let page: EarlierEntries = { entries: [], isAll: log.isWhole }
    // Somebody else may have brought it meanwhile, or the log has turned out to be another one.
    const isCurrent = (): boolean => view.log === log && log.first === first
    while (isCurrent() && !page.isAll && !(count > 0 && view.canShow(count, page.entries, false))) {
      page = await this.#before(page, count > 0 ? count * ENTRIES_PER_MESSAGE : CHUNK)
    }
    if (!isCurrent()) return this.#bring(count)
    view.prepend(page.entries, page.isAll, count)
    onRead(page.entries)
  }

  async #before({ entries }: EarlierEntries, limit: number): Promise<EarlierEntries> {
    const { store, sessionId, view, bounded } = this.#options
    const before = entries[0]?.sequence ?? view.log.first
    const older = await bounded(readBefore(store, sessionId, before, Math.max(limit, SMALLEST)))
    return { entries: [...older.entries, ...entries], isAll: older.isAll }
  }
}

/** About as many entries as one message comes with. */
const ENTRIES_PER_MESSAGE = 4

/** It is not worth it to read less at once. */
const SMALLEST = 200
