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

/** The places of the turns of a log, in the order in which they started. */
export function turnPlaces(entries: readonly Entry[]): ReadonlyMap<string, TurnPlace> {
  const parents = new Map<string, Head>()
  const ends = new Map<string, number>()
  const turnAt = new Map<number, string | undefined>()
  let head = BEGINNING
  // What comes of a turn that was gone back into is late.
  let growing: string | undefined
  for (const { sequence, turnId, path, ...entry } of entries) {
    if (entry.type === 'rewound') {
      head = { turnId: turnAt.get(entry.to), at: entry.to }
      growing = undefined
    } else if (entry.type === 'turn-started' && path === undefined && turnId !== undefined) {
      parents.set(turnId, head)
      head = { turnId, at: sequence }
      growing = turnId
    } else if (turnId !== undefined && turnId === growing) {
      head = { turnId, at: sequence }
    }
    if (entry.type === 'turn-ended' && path === undefined && turnId !== undefined) ends.set(turnId, sequence)
    turnAt.set(sequence, head.turnId)
  }
  const counted = wayTo(head, parents)
  return new Map(
    [...parents].map(([turnId, { turnId: parentId, at }]) => {
      const upTo = counted.get(turnId)
      const isCut = upTo !== undefined && (ends.get(turnId) ?? 0) > upTo
      const place: TurnPlace = {
        ...(parentId !== undefined && { parentId }),
        ...(parentId !== undefined && (ends.get(parentId) ?? 0) > at && { startsIn: true as const }),
        ...(upTo === undefined && { isSetAside: true as const }),
        ...(isCut && { cutAt: upTo }),
      }
      return [turnId, place]
    }),
  )
}

/** The turns that led to a point, and the last entry of each that counts there. */
function wayTo(point: Head, parents: ReadonlyMap<string, Head>): ReadonlyMap<string, number> {
  const counted = new Map<string, number>()
  let on = point
  while (on.turnId !== undefined) {
    counted.set(on.turnId, on.at)
    on = parents.get(on.turnId) ?? BEGINNING
  }
  return counted
}
