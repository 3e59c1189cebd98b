import { createAgent, isEntry, MemoryStore, openSession, type TurnEvent } from '@turnloop/core'
import {
  assertHistory,
  type EventPosition,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from '@turnloop/testing'
import { expect, test } from 'vitest'
import { echo, outline, say } from './loop-setup.ts'

/** Reasons, talks and asks for three tools; then reads their results out. Any later question gets a plain answer. */
function threeTools(options: ScriptedModelOptions = {}): ScriptedModel {
  return scriptedModel(({ messages }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool') return 'All three said.'
    if (last?.role === 'user' && last.id !== 'again' && outline([last])[0] === 'user: Say three') {
      return { reasoning: 'Three of them.', text: 'Let me see.', calls: [say('a'), say('b'), say('c')] }
    }
    return 'Hello again.'
  }, options)
}

const events: TurnEvent[] = []
const moments: EventPosition[] = []
await createAgent({
  model: threeTools({ beforeEvent: (_event, position) => void moments.push(position) }),
  tools: [echo],
})
  .turn('Say three', { onEvent: (event) => events.push(event) })
  .untilDone()

/** What holds after any cancel: one end, a sound transcript, no request after it. */
function expectSound(seen: readonly TurnEvent[], turnId: string): void {
  const own = seen.filter((event) => event.turnId === turnId)
  expect(own.filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
  const sequences = seen.flatMap((event) => (isEntry(event) ? [event.sequence] : []))
  expect(sequences).toEqual(sequences.map((_sequence, index) => (sequences[0] ?? 0) + index))
}

test.each(events.map(({ type }, index) => ({ type, index })))(
  'a cancel at event $index, $type, leaves a turn that can be gone on from',
  async ({ index }) => {
    const model = threeTools()
    const agent = createAgent({ model, tools: [echo] })
    const seen: TurnEvent[] = []
    let requestsAtCancel = 0
    const turn = agent.turn('Say three', {
      onEvent: (event) => {
        if (seen.push(event) !== index + 1) return
        requestsAtCancel = model.requests.length
        turn.cancel('enough')
      },
    })
    const { outcome, messages } = await turn.untilDone()
    expect(['cancelled', 'completed']).toContain(outcome.kind)
    expectSound(seen, turn.turnId)
    assertHistory(messages)
    if (outcome.kind === 'cancelled') expect(model.requests).toHaveLength(requestsAtCancel)

    const next = { id: 'again', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Hello' }] } as const
    const after = await agent.turn([...messages, next]).untilDone()
    expect([after.outcome.kind, after.text]).toEqual(['completed', 'Hello again.'])
    expect(model.violations).toEqual([])
  },
)

test.each(moments)('a cancel before event $event of request $request keeps the session going', async (moment) => {
  const store = new MemoryStore()
  const model = threeTools({
    beforeEvent: (_event, { request, event }) => {
      if (request === moment.request && event === moment.event) void session.cancel('enough')
    },
  })
  const session = openSession({ agent: createAgent({ model, tools: [echo] }), store, id: 's' })
  const { outcome, turnId } = await session.send('Say three')
  expect(outcome.kind).toBe('cancelled')
  expect(model.requests).toHaveLength(moment.request + 1)
  expect((await session.send('Hello')).text).toBe('Hello again.')
  await session.flush()
  expectSound(await store.read('s'), turnId)
  assertHistory(session.getSnapshot().messages)
  expect(model.violations).toEqual([])
})
