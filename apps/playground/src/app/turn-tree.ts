import type { Entry } from '@turnloop/core'

/** Where a turn stands among the ways that a conversation took: going back and saying something else begins another way. */
export interface TurnPlace {
  /** The turn that it follows; absent for one that begins the conversation. */
  readonly parentId?: string
  /** It begins in the middle of that turn: what it says stands in place of the rest. */
  readonly startsIn?: true
  /** It lies on a way that was left. */
  readonly isSetAside?: true
  /** The last entry of it that still counts, where somebody went back into its middle. */
  readonly cutAt?: number
}

/** A point that the conversation stood at: the turn it was in or after, and the last entry of it. */
interface Head {
  readonly turnId: string | undefined
  readonly at: number
}

const BEGINNING: Head = { turnId: undefined, at: 0 }

/** The ways that a conversation took, told entry by entry: one costs the same however long the log is, apart from going back. */
export class TurnTree {
  readonly #parents = new Map<string, Head>()
  readonly #ends = new Map<string, number>()
  /** From which entry on the conversation stood in or after which turn. */
  readonly #stood: Head[] = []
  #head = BEGINNING
  /** The turns that led to the head, and the last entry of each that counts there. */
  #counted = new Map<string, number>()
  // What comes of a turn that was gone back into is late.
  #growing: string | undefined

  /** Take in the next entry. Returns whether it may have changed the place of other turns than its own. */
  add({ sequence, turnId, path, ...entry }: Entry): boolean {
    const isGrowing = turnId !== undefined && turnId === this.#growing
    const isOwn = path === undefined && turnId !== undefined
    let isFarReaching = false
    if (entry.type === 'rewound') {
      this.#head = { turnId: this.#turnAt(entry.to), at: entry.to }
      this.#growing = undefined
      this.#counted = wayTo(this.#head, this.#parents)
      isFarReaching = true
    } else if (entry.type === 'turn-started' && isOwn) {
      this.#parents.set(turnId, this.#head)
      this.#growing = turnId
      this.#grow(turnId, sequence)
    } else if (isGrowing) {
      this.#grow(turnId, sequence)
    }
    if (entry.type === 'turn-ended' && isOwn) {
      this.#ends.set(turnId, sequence)
      // Turns that begin in it are told by where it ends.
      isFarReaching = !isGrowing
    }
    if (this.#head.turnId !== this.#stood.at(-1)?.turnId) this.#stood.push({ turnId: this.#head.turnId, at: sequence })
    return isFarReaching
  }

  /** Where a turn stands by now. */
  placeOf(turnId: string): TurnPlace {
    const { turnId: parentId, at } = this.#parents.get(turnId) ?? BEGINNING
    const upTo = this.#counted.get(turnId)
    const isCut = upTo !== undefined && this.#endOf(turnId) > upTo
    return {
      ...(parentId !== undefined && { parentId }),
      ...(parentId !== undefined && this.#endOf(parentId) > at && { startsIn: true as const }),
      ...(upTo === undefined && this.#parents.has(turnId) && { isSetAside: true as const }),
      ...(isCut && { cutAt: upTo }),
    }
  }

  #grow(turnId: string, at: number): void {
    this.#head = { turnId, at }
    this.#counted.set(turnId, at)
  }

  #endOf(turnId: string): number {
    return this.#ends.get(turnId) ?? 0
  }

  #turnAt(sequence: number): string | undefined {
    return this.#stood.findLast(({ at }) => at <= sequence)?.turnId
  }
}

function wayTo(point: Head, parents: ReadonlyMap<string, Head>): Map<string, number> {
  const counted = new Map<string, number>()
  let on = point
  while (on.turnId !== undefined) {
    counted.set(on.turnId, on.at)
    on = parents.get(on.turnId) ?? BEGINNING
  }
  return counted
}
