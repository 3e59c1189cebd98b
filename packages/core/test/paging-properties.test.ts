import { EMPTY_SNAPSHOT, type Entry, type Message, type Session, type Snapshot } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reduceLog } from '../src/reduce.ts'
import { shownMessages } from '../src/shown-messages.ts'
import { deeds, diskWith, logOf } from './paging-setup.ts'
import { openPage, untilIdle } from './session-setup.ts'

/** What must agree, in a form that can be compared. */
function essence({ messages, calls, source, ...snapshot }: Snapshot): unknown {
  const { usage, outcome, error, turn, pending, title, state, states, hasEarlier } = snapshot
  const all = [...calls.values()].sort((a, b) => (a.callId < b.callId ? -1 : 1))
  const rest = { usage, outcome, error, turn, pending, title, state, states, hasEarlier }
  return JSON.parse(JSON.stringify({ messages, source, all, ...rest }))
}

/** What the end of a log and its head tell already. */
function told({ usage, outcome, error, pending, title, state }: Snapshot): unknown {
  return JSON.parse(JSON.stringify({ usage, outcome, error, pending, title, state }))
}

function isSuffix(part: readonly Message[], whole: readonly Message[]): boolean {
  const rest = whole.slice(whole.length - part.length)
  return part.length <= whole.length && JSON.stringify(part) === JSON.stringify(rest)
}

/** Show older messages until there are none; gives the messages that were shown at each stage. */
async function pageThrough(session: Session, limit: number): Promise<(readonly Message[])[]> {
  const stages = [session.getSnapshot().messages]
  while (session.getSnapshot().hasEarlier) {
    let published = 0
    const stop = session.subscribe(() => {
      published += 1
    })
    await session.loadEarlier(limit)
    stop()
    expect(published).toBe(1)
    stages.push(session.getSnapshot().messages)
  }
  return stages
}

test('any part of a transcript is its end, and told by the end of the log', () => {
  fc.assert(
    fc.property(deeds, fc.nat(10_000), (given, pick) => {
      const { source } = reduceLog(EMPTY_SNAPSHOT, logOf(given))
      const from = 1 + (pick % ((source.messages.at(-1)?.sequence ?? 0) + 2))
      const part = shownMessages({ ...source, from })
      expect(isSuffix(part, shownMessages(source))).toBe(true)
      const messages = source.messages.filter(({ sequence }) => sequence >= from)
      expect(shownMessages({ ...source, messages, from })).toEqual(part)
    }),
    { numRuns: 150 },
  )
})

test('a session opened by its end and paged through is the one opened whole', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, fc.integer({ min: 1, max: 120 }), async (given, limit) => {
      const log: readonly Entry[] = logOf(given)
      const whole = reduceLog(EMPTY_SNAPSHOT, log)
      const { session } = openPage([], { store: await diskWith(log), resume: 'manual' })
      expect(told(await untilIdle(session))).toEqual(told(whole))
      const stages = await pageThrough(session, limit)
      for (const [index, messages] of stages.entries()) {
        expect(isSuffix(messages, whole.messages)).toBe(true)
        // What was shown stays the same objects.
        const before = stages[index - 1] ?? []
        const kept = messages.slice(messages.length - before.length)
        expect(kept.every((message, at) => message === before[at])).toBe(true)
      }
      // Asked for once more where the log is known and there is nothing more to show.
      await session.checkpoints()
      expect(essence(session.getSnapshot())).toEqual(essence(whole))
      expect(session.getEntries()).toEqual(log)
      await session.close()
    }),
    { numRuns: 60 },
  )
})
