import { type Entry, isNested } from './entries.ts'
import { leftBehind, type Rewind } from './transcript.ts'

/** A place in a session's log to go back to, or to branch from. */
export interface Checkpoint {
  /** The last entry that is part of it; 0: before anything was said. */
  readonly sequence: number
  /**
   * `'start'`: before the first turn. `'reply'`: a reply is whole. `'batch'`: its tools are answered. `'end'`: a turn is over.
   */
  readonly position: 'start' | 'reply' | 'batch' | 'end'
  readonly turnId?: string
  /** Epoch ms, for showing. */
  readonly at: number
  /** It lies in what a rewind left behind. Going to it brings that back. */
  readonly isLeftBehind: boolean
}

/** All checkpoints of a log, oldest first. */
export function checkpointsOf(entries: readonly Entry[], rewinds: readonly Rewind[]): Checkpoint[] {
  const isLeftBehind = leftBehind(rewinds)
  const start: Checkpoint = { sequence: 0, position: 'start', at: entries[0]?.at ?? 0, isLeftBehind: false }
  const found = entries.flatMap((entry): Checkpoint[] => {
    if (isNested(entry) || (entry.type !== 'checkpoint' && entry.type !== 'turn-ended')) return []
    const { sequence, at, turnId } = entry
    const position = entry.type === 'checkpoint' ? entry.position : 'end'
    const turn = turnId !== undefined && { turnId }
    return [{ sequence, position, at, ...turn, isLeftBehind: isLeftBehind(sequence) }]
  })
  return [start, ...found]
}
