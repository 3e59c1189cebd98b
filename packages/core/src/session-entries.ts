import { type Entry, isNested, isUnreadable } from './entries.ts'
import type { SessionHead } from './session-store.ts'

/** The log of a session as far as it is known: all of it, or whole turns at its end. */
export class SessionEntries {
  #list: Entry[] = []
  readonly #turnIds = new Set<string>()
  /** The turn of each user message. */
  readonly #inputs = new Map<string, string>()
  readonly #noteIds = new Set<string>()
  #turnsBefore = 0
  /** Something in it is critical, and of a kind that this version does not know. */
  hasUnreadable = false
  /** What stands for what is not known, of the moment in which it was read; `undefined` where nothing is missing. */
  head: SessionHead | undefined
  /** The turn that started last. */
  lastTurnId: string | undefined
  /** The turn that has not ended. */
  openTurnId: string | undefined

  get list(): readonly Entry[] {
    return this.#list
  }

  get isWhole(): boolean {
    return this.head === undefined
  }

  /** The sequence of the first one that is known; 1 before there is any. */
  get first(): number {
    return this.#list[0]?.sequence ?? 1
  }

  get last(): number {
    return this.#list.at(-1)?.sequence ?? 0
  }

  /** How many turns have started. */
  get turns(): number {
    return this.#turnsBefore + this.#turnIds.size
  }

  get createdAt(): number | undefined {
    return this.head?.createdAt ?? this.#list[0]?.at
  }

  hasTurn(turnId: string): boolean {
    return this.#turnIds.has(turnId)
  }

  hasInput(id: string): boolean {
    return this.#inputs.has(id)
  }

  hasNote(id: string): boolean {
    return this.#noteIds.has(id)
  }

  /** The turn that an input has joined. */
  turnOfInput(id: string): string | undefined {
    return this.#inputs.get(id)
  }

  /** The entry of a sequence, if it is known. */
  at(sequence: number): Entry | undefined {
    return this.#list[sequence - this.first]
  }

  /** What is known after a sequence. */
  after(sequence: number): readonly Entry[] {
    return this.#list.slice(Math.max(sequence + 1 - this.first, 0))
  }

  keep(entry: Entry): void {
    this.#list.push(entry)
    this.#note(entry)
    if (isNested(entry)) return
    if (entry.type === 'turn-started' && entry.turnId !== undefined) {
      this.lastTurnId = entry.turnId
      this.openTurnId = entry.turnId
    }
    if (entry.type === 'turn-ended' && entry.turnId === this.openTurnId) this.openTurnId = undefined
  }

  /** What is kept so far is the end of the log that this head is of. */
  begin(head: SessionHead): void {
    const started = this.#list.filter((entry) => startsTurn(entry) && entry.sequence <= head.lastSequence)
    this.head = head
    this.#turnsBefore = Math.max(head.turns - started.length, 0)
  }

  /** Put what stands before in front; `isAll`: nothing stands before that. */
  prepend(older: readonly Entry[], isAll: boolean): void {
    const known = this.#turnIds.size
    this.#list = [...older, ...this.#list]
    for (const entry of older) this.#note(entry)
    this.#turnsBefore = this.first === 1 ? 0 : Math.max(this.#turnsBefore + known - this.#turnIds.size, 0)
    if (isAll) this.head = undefined
  }

  #note(entry: Entry): void {
    this.hasUnreadable ||= isUnreadable(entry)
    if (entry.type === 'note') this.#noteIds.add(entry.message.id)
    if (startsTurn(entry) && entry.turnId !== undefined) this.#turnIds.add(entry.turnId)
    const isInput = !isNested(entry) && entry.type === 'message' && entry.message.role === 'user'
    if (isInput) this.#inputs.set(entry.message.id, entry.turnId ?? '')
  }
}

/** Whether a turn of the session itself begins with this entry. */
export function startsTurn(entry: Entry): boolean {
  return entry.type === 'turn-started' && !isNested(entry)
}
