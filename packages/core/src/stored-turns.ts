/** Something of a turn that can be stored: an entry of it, or the input that will start it. */
export interface OfTurn {
  readonly turnId?: string
}

/** The turns of which something is stored, or may be: a save whose answer was lost may have happened. */
export class StoredTurns {
  readonly #turnIds = new Set<string>()

  /** Count records as stored; returns the turns of which nothing was before. */
  add(records: readonly OfTurn[]): readonly string[] {
    const turnIds = new Set(records.flatMap(({ turnId }) => turnId ?? []))
    const fresh = [...turnIds].filter((turnId) => !this.#turnIds.has(turnId))
    for (const turnId of fresh) this.#turnIds.add(turnId)
    return fresh
  }

  /** Take turns out again: nothing of them was stored after all, or nothing more will be asked. */
  delete(turnIds: readonly string[]): void {
    for (const turnId of turnIds) this.#turnIds.delete(turnId)
  }

  /** Whether nothing of a turn is stored, so that no reload could contradict what happens next. */
  hasNothingOf(turnId: string | undefined): boolean {
    return turnId !== undefined && !this.#turnIds.has(turnId)
  }
}
