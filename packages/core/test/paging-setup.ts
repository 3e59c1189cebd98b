import { EMPTY_SNAPSHOT, type Entry, type EntryDraft, MemoryStore, type Message } from '@turnloop/core'
import fc from 'fast-check'
import { reduceLog } from '../src/reduce.ts'
import { writeSession } from '../src/session-travel.ts'
import { historyItems } from '../src/transcript.ts'
import { answers, ended, reply, settled, started, toolStarted, user } from './reduce-setup.ts'

/** One thing that happens to a session. */
export type Deed = {
  readonly kind: 'talk' | 'tools' | 'void' | 'state' | 'name' | 'rewind' | 'hide' | 'undo'
  readonly pick: number
}

const kinds = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom('talk', 'tools') },
  { weight: 2, arbitrary: fc.constantFrom('void', 'state', 'name') },
  { weight: 1, arbitrary: fc.constantFrom('rewind', 'hide', 'undo') },
)

/** What happens in a long session: more of it than is read at first. */
export const deeds: fc.Arbitrary<Deed[]> = fc.array(fc.record({ kind: kinds, pick: fc.nat(1000) }), {
  minLength: 40,
  maxLength: 150,
  size: 'max',
})

/** The log of it. */
export function logOf(given: readonly Deed[]): readonly Entry[] {
  const log: Entry[] = []
  for (const [index, deed] of given.entries())
    for (const draft of draftsOf(deed, `t${index}`, log)) {
      const sequence = log.length + 1
      log.push({ sequence, at: sequence, ...draft })
    }
  return log
}

function draftsOf({ kind, pick }: Deed, turnId: string, log: readonly Entry[]): EntryDraft[] {
  switch (kind) {
    case 'state':
      return [{ type: 'state-changed', patch: { set: pick } }]
    case 'name':
      return [{ type: 'session-changed', title: `Title ${pick}` }]
    case 'rewind':
      // Mostly not far: else nothing would be left of most logs.
      return [{ type: 'rewound', to: Math.max(log.length - (pick % (pick % 5 === 0 ? 900 : 60)), 0), critical: true }]
    case 'hide':
      return hide(pick, turnId, log)
    case 'undo': {
      const overlays = log.flatMap((entry) => (entry.type === 'overlay' ? [entry.id] : []))
      const id = overlays[pick % Math.max(overlays.length, 1)]
      return id === undefined ? [] : [{ type: 'overlay-undone', id, critical: true }]
    }
    default:
      return turn(kind, pick, turnId)
  }
}

/** What some neighbours in the history are replaced by. */
function hide(pick: number, id: string, log: readonly Entry[]): EntryDraft[] {
  const items = historyItems(reduceLog(EMPTY_SNAPSHOT, log).source)
  const first = pick % 3 === 0 ? 0 : pick % Math.max(items.length, 1)
  const some = items.slice(first, first + 1 + (pick % 7 === 0 ? items.length : pick % 20))
  const hides = [...new Set(some.map(({ covers }) => covers))].flat()
  const summary: Message = { id: `sum-${id}`, role: 'user', createdAt: 0, content: [], synthetic: 'summary' }
  return [{ type: 'overlay', id, by: 'compaction', hides, shows: pick % 4 === 0 ? [] : [summary], critical: true }]
}

function turn(kind: 'talk' | 'tools' | 'void', pick: number, turnId: string): EntryDraft[] {
  const call = `${turnId}-c`
  const tools = [reply(`${turnId}-a1`, call), toolStarted(call), settled(call), answers(`${turnId}-r`, call)]
  const state: EntryDraft[] = pick % 3 === 0 ? [{ type: 'state-changed', patch: { [`k${pick % 4}`]: pick } }] : []
  const body = [started, user(`${turnId}-u`), ...state, ...(kind === 'talk' ? [] : tools), reply(`${turnId}-a`)]
  const end: EntryDraft = kind === 'void' ? { ...ended, commitState: false } : ended
  return [...body, end].map((draft) => ({ ...draft, turnId }))
}

/** A disk with a session `s` of this log. */
export async function diskWith(entries: readonly Entry[]): Promise<MemoryStore> {
  const store = new MemoryStore()
  await writeSession(entries, { id: 's', store, now: 0 })
  return store
}
