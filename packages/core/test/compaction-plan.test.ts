import { type Message, reconcileHistory } from '@turnloop/core'
import { checkHistory } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CompactionPlan, planCompaction } from '../src/compaction-plan.ts'
import { shownMessages } from '../src/shown-messages.ts'
import { summaryMessage } from '../src/summary-request.ts'
import { estimateMessageTokens } from '../src/token-estimate.ts'
import { historyItems, historyMessages, sourceOf, type TranscriptSource } from '../src/transcript.ts'
import { batch, compact, ids, logs, overlayTo, picture, reply, user } from './compaction-setup.ts'

const summary = summaryMessage('Goals: rows.', { id: 'summary', createdAt: 0 })
const BETWEEN = Number.POSITIVE_INFINITY

function plan(messages: readonly Message[], budgetTokens: number, turnStart = BETWEEN): CompactionPlan | undefined {
  return planCompaction(historyItems(sourceOf(messages)), { turnStart, budgetTokens })
}

function after(messages: readonly Message[], made: CompactionPlan | undefined): readonly Message[] {
  return historyMessages(overlayTo(sourceOf(messages), made?.hides ?? [], [summary]))
}

function tokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
}

/** The first message of these as the beginning of the running turn. */
function startingAt(messages: readonly Message[], id: string): number {
  return 1 - messages.length + messages.findIndex((message) => message.id === id)
}

const talk = Array.from({ length: 20 }, (_, turn) => [
  user(`u${turn}`),
  reply(`a${turn}`, 'Yes, quite. '.repeat(5)),
]).flat()

test('recent exchanges stay as far as they fill half of the budget', () => {
  const made = plan(talk, tokens(talk.slice(-6)) * 2)
  expect(ids(made?.kept ?? [])).toBe('u17 a17 u18 a18 u19 a19')
  expect(ids(after(talk, made))).toBe('summary u17 a17 u18 a18 u19 a19')
})

test('one token less of budget keeps one exchange less', () => {
  expect(ids(plan(talk, tokens(talk.slice(-6)) * 2 - 1)?.kept ?? [])).toBe('u18 a18 u19 a19')
})

test('without room between turns everything goes, in one range', () => {
  expect(plan(talk, 0)?.hides).toEqual([[-39, 0]])
})

test('what fits half of the budget is left alone', () => {
  expect(plan(talk, tokens(talk) * 2)).toBeUndefined()
})

test('a gain of less than a tenth is not worth a summary', () => {
  const heavy = [user('old'), reply('ok', 'Ok.'), user('u', 'word '.repeat(400)), reply('a', 'Yes.')]
  expect(plan(heavy, tokens(heavy.slice(2)) * 2)).toBeUndefined()
})

test('real usage corrects what is counted', () => {
  const limits = { turnStart: BETWEEN, budgetTokens: tokens(talk.slice(-6)) * 2 }
  const [plain, corrected] = [1, 2].map((correction) =>
    planCompaction(historyItems(sourceOf(talk)), { ...limits, correction }),
  )
  expect(ids(corrected?.kept ?? [])).toBe('u19 a19')
  expect(corrected?.tokensBefore).toBe(2 * (plain?.tokensBefore ?? 0))
})

test('it says how many tokens there were and how many go', () => {
  const made = plan(talk, tokens(talk.slice(-6)) * 2)
  expect([made?.tokensBefore, made?.tokensHidden]).toEqual([tokens(talk), tokens(talk.slice(0, -6))])
})

test('J1: no budget parts a call from its result', () => {
  const history = [user('u1'), ...batch('a', 2), ...batch('b', 3), user('u2'), reply('c', 'So.'), user('u3')]
  for (let budget = 0; budget < tokens(history) * 2; budget++) {
    expect(checkHistory(after(history, plan(history, budget)), { request: true }).problems).toEqual([])
  }
})

test('J1: a cut exactly on a border keeps what is behind it whole', () => {
  const history = [user('u1'), reply('a1', 'Sure. '.repeat(20)), ...batch('b', 3)]
  expect(ids(plan(history, tokens(batch('b', 3)) * 2)?.kept ?? [])).toBe('b br')
})

test('J1: a plan still fits when more was logged after it was made', () => {
  const history = [...talk, user('now'), ...batch('a', 2), ...batch('b', 2)]
  const made = plan(history, 100, startingAt(history, 'now'))
  const source = overlayTo(sourceOf(history), made?.hides ?? [], [summary])
  const later = [...source.messages, ...batch('c', 2).map((message, index) => ({ sequence: index + 5, message }))]
  expect(ids(historyMessages({ ...source, messages: later }))).toBe('summary now b br c cr')
})

test('J4: a turn that is one batch leaves nothing to hide', () => {
  const history = [user('u'), ...batch('a', 1, 'word '.repeat(5000))]
  expect(plan(history, -500, startingAt(history, 'u'))).toBeUndefined()
})

test('J5: what was asked in the running turn stays word for word, behind the summary', () => {
  const history = [
    user('poem'),
    reply('done', 'Roses. '.repeat(50)),
    user('row 7'),
    ...batch('a'),
    user('steered'),
    ...batch('b'),
  ]
  const made = plan(history, 0, startingAt(history, 'row 7'))
  expect(ids(after(history, made))).toBe('summary row 7 steered b br')
  expect(ids(made?.hidden ?? [])).toBe('poem done a ar')
})

test('J5: in a turn that is the whole history the request stays first', () => {
  const history = [user('u'), ...batch('a', 1, 'word '.repeat(500)), ...batch('b')]
  expect(ids(after(history, plan(history, 0, startingAt(history, 'u'))))).toBe('u summary b br')
})

test('J5: a turn without input of its own keeps what was asked last', () => {
  const history = [...talk, user('again'), ...batch('a', 1, 'word '.repeat(50)), ...batch('b')]
  expect(ids(after(history, plan(history, 0, 1)))).toBe('summary again b br')
})

test('J5: a retried turn keeps what was asked last although steps followed', () => {
  const history = [...talk, user('again'), ...batch('a', 1, 'word '.repeat(50)), ...batch('b')]
  expect(ids(after(history, plan(history, 0, startingAt(history, 'a'))))).toBe('summary again b br')
})

test('a reply that the provider paused stays with what goes on from it', () => {
  const rest = [reply('half', 'Wait. '.repeat(50), 'pause'), reply('rest', 'There.')]
  expect(plan([...talk, user('u'), ...rest], tokens(rest.slice(1)) * 2)?.kept).toEqual([])
})

test('messages that one overlay shows stay or go together', () => {
  const rewritten = [user('r1'), reply('r2', 'word '.repeat(90)), user('r3'), reply('r4', 'Yes.')]
  const source = overlayTo(
    sourceOf(talk),
    [
      [-39, -3],
      [-20, -10],
    ],
    rewritten,
  )
  const budgetTokens = 2 * tokens([...rewritten.slice(2), ...talk.slice(-3)])
  const made = planCompaction(historyItems(source), { turnStart: BETWEEN, budgetTokens })
  expect([ids(made?.hidden ?? []), made?.hides]).toEqual(['r1 r2 r3 r4', [[-39, -3]]])
})

test('a reply that the provider paused stays, and so does what a nudge speaks of', () => {
  const pausing = [...talk, user('now'), reply('half', 'Wait.', 'pause')]
  const nudged = [...talk, user('now'), reply('empty', 'I will.', 'other'), user('nudge', 'Do it.', 'nudge')]
  expect(ids(after(pausing, plan(pausing, 0, startingAt(pausing, 'now'))))).toBe('summary now half')
  expect(ids(after(nudged, plan(nudged, 0, startingAt(nudged, 'now'))))).toBe('summary now empty nudge')
})

test('nudges of earlier steps go with the steps', () => {
  const history = [
    ...talk,
    user('now'),
    reply('a', 'I will.', 'other'),
    user('nudge', 'Do it.', 'nudge'),
    ...batch('b'),
  ]
  expect(ids(after(history, plan(history, 0, startingAt(history, 'now'))))).toBe('summary now b br')
})

test('J7: compacting a compacted history three times keeps one summary', () => {
  const limits = { turnStart: BETWEEN, budgetTokens: 300 }
  const once = compact(sourceOf(talk), limits)
  expect(compact(compact(once, limits), limits)).toBe(once)
  expect(historyMessages(once).filter((message) => 'synthetic' in message)).toHaveLength(1)
})

test('J7: an older summary is hidden with all that it hid', () => {
  const first = compact(sourceOf(talk), { turnStart: BETWEEN, budgetTokens: 300 })
  const made = planCompaction(historyItems(first), { turnStart: BETWEEN, budgetTokens: 0 })
  expect(made?.hides).toEqual([[-39, 0]])
  expect(made?.hidden[0]).toMatchObject({ synthetic: 'summary' })
})

test('J7: a summary is folded in wherever an overlay of another kind left it', () => {
  const history = [...talk, user('now'), ...batch('a'), reply('b', 'So.'), user('more')]
  const source = overlayTo(sourceOf(history), [[-1, -1]], [summaryMessage('Older.', { id: 'odd', createdAt: 0 })])
  const made = planCompaction(historyItems(source), { turnStart: startingAt(history, 'now'), budgetTokens: 0 })
  expect(ids(made?.kept ?? [])).toBe('now a ar more')
})

test('J8: a picture does not keep the border from moving on', () => {
  const history = [user('u'), picture('image'), ...talk]
  const made = plan(history, 300)
  expect(made?.hidden[1]?.id).toBe('image')
  expect(made?.hides).toHaveLength(1)
})

test('J8: a picture in the running turn stays while its steps go', () => {
  const history = [picture('image'), ...batch('a', 1, 'word '.repeat(3000)), ...batch('b')]
  expect(ids(after(history, plan(history, 0, startingAt(history, 'image'))))).toBe('image summary b br')
})

const limits = fc.record({ budgetTokens: fc.integer({ min: -50, max: 1500 }), where: fc.nat(7) })

function limitsOf(
  given: { starts: readonly number[] },
  { where, budgetTokens }: { where: number; budgetTokens: number },
) {
  return { budgetTokens, turnStart: given.starts[where] ?? BETWEEN }
}

/** Runs `check` on random logs that have something to compact. */
function forAnyPlan(
  check: (made: CompactionPlan, before: TranscriptSource, limits: { turnStart: number; budgetTokens: number }) => void,
): void {
  fc.assert(
    fc.property(logs, limits, (given, asked) => {
      const limits = limitsOf(given, asked)
      const made = planCompaction(historyItems(given.source), limits)
      if (made !== undefined) check(made, given.source, limits)
    }),
    { numRuns: 500 },
  )
}

test('J1: what is left of any history is pair-valid', () => {
  forAnyPlan((made, before) => {
    expect(reconcileHistory(historyMessages(before)).report).toEqual([])
    const left = historyMessages(overlayTo(before, made.hides, [summary]))
    expect(checkHistory(left).problems).toEqual([])
    expect(reconcileHistory(left, { isFollowed: true }).report).toEqual([])
  })
})

test('J7: any history is left with exactly one summary and what the plan kept', () => {
  forAnyPlan((made, before) => {
    const left = historyMessages(overlayTo(before, made.hides, [summary]))
    expect(left.filter((message) => message.role === 'user' && message.synthetic === 'summary')).toEqual([summary])
    expect(left.filter((message) => message !== summary)).toEqual(made.kept)
    const all = new Set([...made.kept, ...made.hidden])
    expect(historyMessages(before).filter((message) => !all.has(message))).toEqual([])
    expect(all.size).toBe(historyMessages(before).length)
  })
})

test('J7: planning again on the outcome finds nothing to do', () => {
  forAnyPlan((made, before, limits) => {
    const left = historyItems(overlayTo(before, made.hides, [summary]))
    expect(planCompaction(left, limits)).toBeUndefined()
  })
})

test('J5: any request of the running turn stays, in order, behind older things', () => {
  forAnyPlan((made, before, { turnStart }) => {
    const asked = historyItems(before).filter(
      ({ message, sequence }) => sequence >= turnStart && message.role === 'user' && message.synthetic === undefined,
    )
    const left = historyMessages(overlayTo(before, made.hides, [summary]))
    const requests = asked.map(({ message }) => message)
    expect(left.filter((message) => requests.includes(message))).toEqual(requests)
    const isOlderHidden = historyItems(before).some(
      (item) => item.sequence < turnStart && made.hidden.includes(item.message),
    )
    if (isOlderHidden && requests[0]) expect(left.indexOf(summary)).toBeLessThan(left.indexOf(requests[0]))
  })
})

test('the last batch of the running turn stays, with all that follows', () => {
  forAnyPlan((made, before, { turnStart }) => {
    const items = historyItems(before).filter(({ sequence }) => sequence >= turnStart)
    const last = items.findLastIndex(({ message }) => message.role === 'assistant' && message.stopReason === 'toolUse')
    if (last < 0) return
    const pending = items.slice(last).map(({ message }) => message)
    expect(made.kept.filter((message) => pending.includes(message))).toEqual(pending)
  })
})

test('what is out of history stays on the screen, and undoing brings all back', () => {
  forAnyPlan((made, before) => {
    const source = overlayTo(before, made.hides, [summary])
    const shown = new Set(shownMessages(source))
    const history = new Set(historyMessages(before))
    const asides = shownMessages(before).filter((message) => !history.has(message))
    expect(asides.filter((message) => !shown.has(message))).toEqual([])
    const [undone] = source.overlays.slice(-1)
    const restored = { ...source, undone: [{ id: undone?.id ?? '', at: (undone?.at ?? 0) + 1 }] }
    expect(historyMessages(restored)).toEqual(historyMessages(before))
  })
})

test('between turns nothing stays that half of the budget has no room for', () => {
  forAnyPlan((made, _before, { turnStart, budgetTokens }) => {
    if (turnStart === BETWEEN) expect(tokens(made.kept)).toBeLessThanOrEqual(Math.max(0, budgetTokens / 2))
  })
})
