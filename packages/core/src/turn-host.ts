import type { InDoubt } from './approvals.ts'
import type { Entry, EntryDraft } from './entries.ts'
import type { LiveEvent } from './events.ts'
import type { LiveTurn } from './live-turn.ts'
import type { Appended } from './log-writer.ts'

/** The turn around a call, for an agent that runs as its tool: it writes to the same log, under its own path. */
export interface TurnHost {
  readonly turnId: string
  /** How many agents deep the call stands: 1 for a call of the outermost turn. */
  readonly depth: number
  readonly inDoubt?: InDoubt | undefined
  /** What the call gets to stop in: less than its caller, so that it ends first. */
  readonly graceMs: number
  /** Claim the call's place in the log, which has room for one turn; `false` where that is taken. */
  take(): boolean
  /** Give the place back: the nested turn waits for people, and goes on in another run. */
  leave(): void
  /** What the log holds of the nested turn already, path taken off; empty for a call that runs for the first time. */
  readonly entries: readonly Entry[]
  append(...drafts: EntryDraft[]): Appended
  deliver(event: LiveEvent): void
}

/** The calls of a turn whose place in the log is claimed. */
const taken = new WeakMap<LiveTurn, Set<string>>()

/** The turn as a call of it sees it, for as long as its batch is open. */
export function hostOf(
  turn: LiveTurn,
  callId: string,
  ways: { isOpen(): boolean; append(...drafts: EntryDraft[]): Appended },
): TurnHost {
  const under = (path: readonly string[] | undefined): readonly string[] => [callId, ...(path ?? [])]
  return {
    turnId: turn.options.turnId,
    depth: (turn.parts.depth ?? 0) + 1,
    inDoubt: turn.parts.inDoubt,
    graceMs: turn.parts.graceMs * 0.75,
    take: () => {
      const calls = taken.get(turn) ?? new Set()
      taken.set(turn, calls)
      const isFree = !calls.has(callId)
      calls.add(callId)
      return isFree
    },
    leave: () => void taken.get(turn)?.delete(callId),
    get entries() {
      return turn.fold.nested.get(callId) ?? []
    },
    append: (...drafts) => {
      const { entries, saved } = ways.append(...drafts.map((draft) => ({ ...draft, path: under(draft.path) })))
      // The nested turn reads its entries as its own: without the step that leads to it.
      return { entries: entries.map(withoutStep), saved }
    },
    deliver: ({ after: _after, ...event }) => {
      // What it follows is for the outer turn to say: others write to its log meanwhile.
      const inner = { ...event, path: under(event.path) }
      if (ways.isOpen()) turn.emit(inner)
    },
  }
}

function withoutStep(entry: Entry): Entry {
  const { path = [], ...own } = entry
  return path.length > 1 ? { ...own, path: path.slice(1) } : own
}
