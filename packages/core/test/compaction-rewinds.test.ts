import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planCompaction } from '../src/compaction-plan.ts'
import { shownMessages } from '../src/shown-messages.ts'
import { summaryMessage } from '../src/summary-request.ts'
import { historyItems, historyMessages, type TranscriptSource } from '../src/transcript.ts'
import { ids, logs, nextSequence } from './compaction-setup.ts'

/** What happens to a log once its turns are over: an overlay is undone, a rewind is made, or it is compacted. */
const changes = fc.array(
  fc.record({
    kind: fc.constantFrom('undo', 'rewind', 'compact'),
    pick: fc.nat(60),
    room: fc.integer({ min: 0, max: 500 }),
  }),
  { maxLength: 6 },
)

function change(
  source: TranscriptSource,
  { kind, pick }: { kind: string; pick: number },
  at: number,
): TranscriptSource {
  if (kind === 'rewind') return { ...source, rewinds: [...source.rewinds, { to: pick % at, at }] }
  const overlay = source.overlays[pick % Math.max(1, source.overlays.length)]
  return overlay === undefined ? source : { ...source, undone: [...source.undone, { id: overlay.id, at }] }
}

/** The source with a summary laid over it, checked against the plan; the same source where nothing is worth hiding. */
function compacted(source: TranscriptSource, budgetTokens: number, at: number): TranscriptSource {
  const plan = planCompaction(historyItems(source), { turnStart: Number.POSITIVE_INFINITY, budgetTokens })
  if (plan === undefined) return source
  const summary = summaryMessage('Goals.', { id: `s${at}`, createdAt: 0 })
  const overlay = { id: `o${at}`, at, hides: plan.hides, shows: [summary] }
  const after = { ...source, overlays: [...source.overlays, overlay] }
  const history = historyMessages(after)
  expect(history.filter((message) => message === summary)).toHaveLength(1)
  expect(ids(history.filter((message) => message !== summary))).toBe(ids(plan.kept))
  const before = historyMessages(source)
  const aside = shownMessages(source).filter((message) => !before.includes(message))
  expect(shownMessages(after)).toEqual(expect.arrayContaining(aside))
  const undone = { ...after, undone: [...after.undone, { id: overlay.id, at: at + 1 }] }
  expect(ids(shownMessages(undone))).toBe(ids(shownMessages(source)))
  return after
}

test('among rewinds and undone overlays, a compaction hides what it planned', () => {
  fc.assert(
    fc.property(logs, changes, ({ source: first }, steps) => {
      let source = first
      let at = nextSequence(first)
      for (const step of steps) {
        source = step.kind === 'compact' ? compacted(source, step.room, at) : change(source, step, at)
        at += 2
      }
    }),
    { numRuns: 300 },
  )
})
