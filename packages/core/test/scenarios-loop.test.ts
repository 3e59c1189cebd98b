import {
  type AgentOptions,
  autoCompaction,
  createAgent,
  MemoryStore,
  openSession,
  type ToolSource,
  type TurnEvent,
  tool,
} from '@turnloop/core'
import { assertHistory, deferred, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { faultyStore, refuse, waitFor } from './faulty-store.ts'
import { collect, counter, echo, lastResults, lastResultTexts, outline, say, toolMessages } from './loop-setup.ts'
import { kinds, openPage, repeat, shown, until } from './session-setup.ts'
import { idle, startTurn, warnings } from './turn-setup.ts'

const both = { calls: [say('a'), say('b')] }

/** How a loop over the messages of a turn is left at its first one. */
const exits: Record<string, (reader: AsyncIterable<unknown>) => Promise<void>> = {
  break: async (reader) => {
    for await (const _message of reader) break
  },
  throw: async (reader) => {
    const looping = (async () => {
      for await (const _message of reader) throw new Error('The body broke.')
    })()
    await expect(looping).rejects.toThrow('The body broke.')
  },
}

test.each(Object.entries(exits))('leaving for await by %s reconciles and saves', async (_name, leave) => {
  const agent = createAgent({ model: scriptedModel([both, 'Never asked.']), tools: [echo] })
  const { turn, log } = startTurn(agent, 'Say a and b')
  await leave(turn)
  expect(kinds(log.entries)).toEqual([
    ...[
      'turn-started',
      'message',
      'message',
      'checkpoint',
      'stop-requested',
      'tool-settled',
      'tool-settled',
      'message',
      'checkpoint',
    ],
    'turn-ended',
  ])
  const store = new MemoryStore()
  await store.append('s', log.entries)
  const session = openSession({
    agent: createAgent({ model: scriptedModel(['Well.']), tools: [echo] }),
    store,
    id: 's',
  })
  expect((await session.send('And now?')).text).toBe('Well.')
  expect(shown(session).slice(0, 3)).toEqual(['user: Say a and b', 'assistant: ', 'tool: not-run, not-run'])
})

test('a reply that asks for tools is saved before any of them starts', async () => {
  const gate = deferred()
  const store = faultyStore()
  const tick = counter('tick')
  const { session } = openPage([{ calls: [{ name: 'tick' }] }, 'Ticked.'], { store, tools: [tick.tool] })
  store.break('append', (go) =>
    store.appends.at(-1)?.entries.some((entry) => entry.type === 'checkpoint' && entry.position === 'reply')
      ? waitFor(gate.promise)(go)
      : go(),
  )
  const turn = session.send('Tick')
  await until(session, ({ messages }) => messages.length === 2)
  await idle()
  expect([tick.runs, kinds(session.getEntries()).includes('tool-started')]).toEqual([0, false])
  gate.resolve()
  expect([(await turn).text, tick.runs]).toEqual(['Ticked.', 1])
})

test('tools are listed once in a turn of several calls', async () => {
  let lists = 0
  const source: ToolSource = {
    list: async () => {
      lists += 1
      return [echo]
    },
  }
  const model = scriptedModel([{ calls: [say('a')] }, { calls: [say('b')] }, 'Done.', 'Again.'])
  const agent = createAgent({ model, tools: [source] })
  await agent.turn('Say a, then b').untilDone()
  expect(lists).toBe(1)
  await agent.turn('Again').untilDone()
  expect(lists).toBe(2)
})

test('instructions are asked for before each model call and see what came', async () => {
  const seen: number[] = []
  const model = scriptedModel([{ calls: [say('a')] }, 'Done.'])
  const instructions = ({ messages }: { messages: readonly unknown[] }): string => {
    seen.push(messages.length)
    return `${messages.length} messages`
  }
  await createAgent({ model, tools: [echo], instructions })
    .turn('Say a')
    .untilDone()
  expect([seen, model.requests.map((request) => request.instructions)]).toEqual([
    [1, 3],
    ['1 messages', '3 messages'],
  ])
})

describe('a host function that throws leaves a session sound', () => {
  const broken = (): never => {
    throw new Error('host broke')
  }
  const source: ToolSource = { list: async () => broken() }
  const unknownFirst: ScriptStep[] = [{ calls: [{ name: 'nobody' }] }, 'Fine.']
  const cells: Record<string, [Partial<AgentOptions>, ScriptStep[], string]> = {
    instructions: [{ instructions: broken }, ['Fine.'], 'failed'],
    'a tool list': [{ tools: [source] }, ['Fine.'], 'failed'],
    'a tool': [
      { tools: [tool({ name: 'nobody', description: 'Throws', execute: broken })] },
      unknownFirst,
      'completed',
    ],
    repairToolCall: [{ repairToolCall: broken }, unknownFirst, 'completed'],
    'compaction.when': [{ compaction: autoCompaction({ when: broken }) }, ['Fine.'], 'completed'],
    'compaction.run': [{ compaction: autoCompaction({ when: () => true, run: broken }) }, ['Fine.'], 'completed'],
    'budget.priceOf': [{ budget: { cost: 1, priceOf: broken } }, unknownFirst, 'failed'],
  }

  test.each(Object.entries(cells))('%s', async (_name, [options, script, kind]) => {
    const { session, model } = openPage(script, options)
    const { outcome } = await session.send('Go')
    expect([outcome.kind, session.getSnapshot().status]).toEqual([kind, 'idle'])
    if (kind === 'failed') expect(JSON.stringify(outcome)).toContain('host broke')
    session.setAgent(createAgent({ model: scriptedModel(['Well.']) }))
    const next = await session.send('And now?')
    expect([next.text, model.violations]).toEqual(['Well.', []])
    assertHistory(next.messages)
  })

  test.each(['when', 'run'])('compaction.%s is told as a failed compaction and a warning', async (name) => {
    const compaction = autoCompaction({ when: () => true, [name]: broken })
    const turn = createAgent({ model: scriptedModel(['Fine.']), compaction }).turn('Go')
    const events = await collect(turn.events())
    expect(events.filter(({ type }) => type === 'compaction-failed')).toMatchObject([
      { error: { message: 'host broke' } },
    ])
    expect(warnings(events)).toEqual([expect.stringContaining('host broke')])
  })
})

test('a store that throws at everything degrades storage and nothing else', async () => {
  const store = faultyStore()
  store.break('append', refuse('disconnected'))
  const { session, model, clock } = openPage([both, 'Said.', 'Saved.'], { store, tools: [echo] })
  const heard: TurnEvent[] = []
  const listening = (async () => {
    for await (const event of session.events()) heard.push(event)
  })()
  const result = await session.send('Say a and b')
  expect([result.text, session.getSnapshot().storage.state, model.violations]).toEqual(['Said.', 'degraded', []])
  assertHistory(result.messages)
  store.mend()
  await session.send('And now?')
  await clock.runAll()
  await session.flush()
  expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
  expect(await store.disk.read('s')).toEqual(session.getEntries())
  await session.close()
  await listening
  expect(warnings(heard)).toHaveLength(1)
})

test('a retried attempt is discarded by name, and its calls never run', async () => {
  const tick = counter('tick')
  const broken: ScriptStep = { text: 'Let me', calls: [{ name: 'tick' }], cut: true }
  const model = scriptedModel([broken, 'Without it.'])
  const agent = createAgent({ model, tools: [tick.tool], retry: { restart: true, baseDelayMs: 0 } })
  const events = await collect(agent.turn('Go').events())
  const ids = events.flatMap((event) => (event.type === 'model-started' ? [event.messageId] : []))
  expect(events.filter(({ type }) => type === 'retry')).toMatchObject([{ discarded: ids[0] }])
  expect([ids.length, new Set(ids).size, tick.runs]).toEqual([2, 2, 0])
  const replies = events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'assistant' ? [event.message] : [],
  )
  expect(replies).toMatchObject([{ id: ids[1], content: [{ type: 'text', text: 'Without it.' }] }])
})

describe('stop reasons', () => {
  test('of a filtered reply: blocked by the model, its calls answered and not run', async () => {
    const tick = counter('tick')
    const step: ScriptStep = {
      text: 'I',
      calls: [{ name: 'tick' }],
      stopReason: 'safety',
      rawStopReason: 'content_filter',
    }
    const { session } = openPage([step, 'Sorry.'], { tools: [tick.tool] })
    const { outcome, messages } = await session.send('Go')
    expect(outcome).toEqual({ kind: 'blocked', source: 'model', message: 'content_filter' })
    expect([tick.runs, lastResults({ messages }).map(({ status }) => status)]).toEqual([0, ['error']])
    expect((await session.send('And now?')).text).toBe('Sorry.')
  })

  test('of a text that the output limit cut: completed, and truncated', async () => {
    const model = scriptedModel([{ text: 'To be con', stopReason: 'maxTokens' }])
    const { outcome, message } = await createAgent({ model }).turn('Go').untilDone()
    expect([outcome, message?.stopReason]).toEqual([{ kind: 'completed', truncated: true }, 'maxTokens'])
  })

  test('of a reply that broke: failed, its text kept and flagged', async () => {
    const model = scriptedModel([{ text: 'Half an', cut: true }])
    const { outcome, message } = await createAgent({ model }).turn('Go').untilDone()
    expect([outcome.kind, message?.partial, message?.stopReason]).toEqual(['failed', true, 'error'])
  })

  test('of a paused provider: asked again up to its cap, then completed', async () => {
    const model = scriptedModel(() => ({ text: 'Wait.', stopReason: 'pause' }))
    const { outcome } = await createAgent({ model }).turn('Go').untilDone()
    expect([outcome, model.requests.length]).toEqual([{ kind: 'completed' }, 9])
  })

  test('are never rewritten by how the turn ended', async () => {
    const model = scriptedModel(() => ({ calls: [say('a')], rawStopReason: 'tool_calls' }))
    const { messages } = await createAgent({ model, tools: [echo], maxIterations: 0 })
      .turn('Go')
      .untilDone()
    expect(messages[1]).toMatchObject({ stopReason: 'toolUse', rawStopReason: 'tool_calls' })
  })
})

test('a turn without history sends its own messages only, for all of its calls', async () => {
  const { session, model } = openPage(['One.', { calls: [say('a')] }, 'Two.'], { tools: [echo], history: false })
  await session.send('first')
  await session.send('second')
  expect(model.requests.map(({ messages }) => outline(messages))).toEqual([
    ['user: first'],
    ['user: second'],
    ['user: second', 'assistant: ', 'tool: ok'],
  ])
})

test('results of the batch that met the cap are stored', async () => {
  const store = new MemoryStore()
  const { session } = openPage(() => both, { store, tools: [echo], maxIterations: 0 })
  await session.send('Go')
  await session.close()
  const { session: next } = openPage(repeat, { store, tools: [echo] })
  const { messages } = await next.send('And now?')
  expect(toolMessages(messages).map((message) => lastResultTexts({ messages: [message] }))).toEqual([['a', 'b']])
})
