import type { Snapshot } from '@turnloop/core'

/** A snapshot that was kept, and what it changed. */
export interface Moment {
  /** Counts from 1, over those that were let go of too. */
  readonly number: number
  /** Epoch ms. */
  readonly at: number
  readonly snapshot: Snapshot
  /** The parts of the snapshot that are not those of the moment before. */
  readonly changed: readonly (keyof Snapshot)[]
}

/** What grows with every delta: a moment that changes nothing else takes the place of the one before, if that did so too. */
const GROWING: ReadonlySet<string> = new Set(['open', 'calls'])

/**
 * The last snapshots of a session, `limit` of them at most. A reply that grows takes one place, with its newest state: so a
 * place stands for a step of the turn rather than for a word.
 */
export class SnapshotRing {
  readonly #limit: number
  readonly #moments: Moment[] = []
  #count = 0

  constructor(limit: number) {
    this.#limit = Math.max(2, Math.floor(limit))
  }

  /** Oldest first. Another list after each change. */
  get moments(): readonly Moment[] {
    return [...this.#moments]
  }

  /** Keep a snapshot; the one that was kept last changes nothing. Costs the number of a snapshot's parts. */
  add(snapshot: Snapshot, at: number): void {
    const last = this.#moments.at(-1)
    if (last?.snapshot === snapshot) return
    const changed = last === undefined ? [] : partsChanged(last.snapshot, snapshot)
    const growsOn = last !== undefined && isGrowth(changed) && isGrowth(last.changed) && last.changed.length > 0
    if (growsOn) {
      const all = [...new Set([...last.changed, ...changed])]
      this.#moments[this.#moments.length - 1] = { number: last.number, at, snapshot, changed: all }
      return
    }
    this.#count += 1
    this.#moments.push({ number: this.#count, at, snapshot, changed })
    if (this.#moments.length > this.#limit) this.#moments.shift()
  }

  clear(): void {
    this.#moments.length = 0
  }
}

function isGrowth(changed: readonly string[]): boolean {
  return changed.every((part) => GROWING.has(part))
}

/** The names of the parts that are not the same object. */
function partsChanged(before: Snapshot, after: Snapshot): (keyof Snapshot)[] {
  // Its keys, since both are snapshots; an absent part counts as undefined.
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Snapshot>
  return [...names].filter((name) => before[name] !== after[name])
}
