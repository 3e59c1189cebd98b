import {
  type AgentOptions,
  autoCompaction,
  CANCELLED_TEXT,
  createAgent,
  type ModelEvent,
  NOT_RUN_TEXT,
  type RollbackRecord,
  resultText,
  structured,
  type ToolRunner,
  type TurnEvent,
  UNKNOWN_TEXT,
} from '@turnloop/core'
import { assertHistory, deafTool, deferred, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { echo, obedientTool, outline, say, toolMessages } from './loop-setup.ts'
import { openPage, shown, until } from './session-setup.ts'
import { startTurn } from './turn-setup.ts'

/** Run a turn and stop it at the first event that passes. */
async function stopAt(options: AgentOptions, at: (event: TurnEvent) => boolean, history = true) {
  let turn: ToolRunner | undefined
  const onEvent = (event: TurnEvent): void => {
    if (at(event)) turn?.cancel('enough')
  }
  const started = startTurn(createAgent({ graceMs: 1, ...options }), 'Go', { onEvent, history })
  turn = started.turn
  const result = await turn.untilDone()
  assertHistory(result.messages)
  const rollback = result.outcome.kind === 'cancelled' ? result.outcome.rollback : undefined
  return { result, rollback, lines: outline(result.messages), log: started.log }
}

function record(status: RollbackRecord['status'], messagesBefore: number, messagesAfter: number): RollbackRecord {
  return { status, messagesBefore, messagesAfter }
}

const events = (...given: ModelEvent[]): ScriptStep => ({ events: given, hang: 'until-abort' })
const thought = { providerMetadata: { test: { signature: 's' } } }
const text = (event: TurnEvent): boolean => event.type === 'text-delta'

describe('Stop before the first model call', () => {
  test('leaves the user message', async () => {
    const model = scriptedModel([])
    const { lines, rollback } = await stopAt({ model }, ({ type }) => type === 'message')
    expect([lines, rollback]).toEqual([['user: Go'], record('unchanged', 1, 1)])
    expect(model.requests).toHaveLength(0)
  })
})

describe('Stop while a reply streams', () => {
  test('leaves its text so far as a partial message', async () => {
    const model = scriptedModel([{ text: 'Half an answer', hang: 'until-abort' }])
    const { result, lines } = await stopAt({ model }, text)
    expect(lines).toEqual(['user: Go', expect.stringMatching(/^assistant: Half/)])
    expect(result.message).toMatchObject({ partial: true, stopReason: 'cancelled' })
  })

  test('drops reasoning that is not finished', async () => {
    const step = events(
      { type: 'text-delta', id: '1', delta: 'Well' },
      { type: 'text-end', id: '1' },
      { type: 'reasoning-delta', id: '2', delta: 'Hm' },
    )
    const { result } = await stopAt({ model: scriptedModel([step]) }, ({ type }) => type === 'reasoning-delta')
    expect(result.message?.content).toMatchObject([{ type: 'text', text: 'Well' }])
  })

  test('keeps signed, finished reasoning before its text', async () => {
    const step = events(
      { type: 'reasoning-delta', id: '1', delta: 'Hm' },
      { type: 'reasoning-end', id: '1', ...thought },
      { type: 'text-delta', id: '2', delta: 'Well' },
    )
    const { result } = await stopAt({ model: scriptedModel([step]) }, text)
    expect(result.message?.content).toMatchObject([{ type: 'reasoning', text: 'Hm', ...thought }, { type: 'text' }])
  })

  test('keeps finished reasoning that no provider signs', async () => {
    const step = events(
      { type: 'reasoning-delta', id: '1', delta: 'Hm' },
      { type: 'reasoning-end', id: '1' },
      { type: 'text-delta', id: '2', delta: 'Well' },
    )
    const { result } = await stopAt({ model: scriptedModel([step]) }, text)
    expect(result.message?.content).toMatchObject([{ type: 'reasoning', text: 'Hm' }, { type: 'text' }])
  })

  test('drops half a call', async () => {
    const step = events(
      { type: 'text-delta', id: '1', delta: 'Let me' },
      { type: 'tool-input-start', id: 'c', toolName: 'echo' },
      { type: 'tool-input-delta', id: 'c', delta: '{"te' },
    )
    const { result } = await stopAt(
      { model: scriptedModel([step]), tools: [echo] },
      ({ type }) => type === 'tool-input-delta',
    )
    expect(result.message?.content).toMatchObject([{ type: 'text', text: 'Let me' }])
  })

  test.each<[string, ModelEvent[], TurnEvent['type']]>([
    ['reasoning', [{ type: 'reasoning-delta', id: '1', delta: 'Hm' }], 'reasoning-delta'],
    [
      'half a call',
      [
        { type: 'tool-input-start', id: 'c', toolName: 'echo' },
        { type: 'tool-input-delta', id: 'c', delta: '{' },
      ],
      'tool-input-delta',
    ],
  ])('leaves no message where there was only %s', async (_what, given, at) => {
    const model = scriptedModel([events(...given)])
    const { lines, rollback } = await stopAt({ model, tools: [echo] }, ({ type }) => type === at)
    expect([lines, rollback?.status]).toEqual([['user: Go'], 'unchanged'])
  })
})

describe('Stop between a reply and its tools', () => {
  test('answers each call as not run', async () => {
    const model = scriptedModel([{ calls: [say('a'), say('b')] }])
    const atReply = (event: TurnEvent): boolean => event.type === 'checkpoint' && event.position === 'reply'
    const { result, lines, rollback } = await stopAt({ model, tools: [echo] }, atReply)
    expect(lines).toEqual(['user: Go', 'assistant: ', 'tool: not-run, not-run'])
    expect(rollback).toEqual(record('appended-interrupted-result', 2, 3))
    expect(
      toolMessages(result.messages)[0]?.results.map((answer) => [resultText(answer.result), answer.result.isError]),
    ).toEqual([
      [NOT_RUN_TEXT, true],
      [NOT_RUN_TEXT, true],
    ])
  })
})

describe('Stop while tools run', () => {
  test('each call says what became of it', async () => {
    const obedient = obedientTool('obedient')
    const deaf = deafTool({ effect: 'read' })
    const calls = [say('a'), { name: 'obedient' }, { name: 'deaf' }, say('d')]
    const options = { model: scriptedModel([{ calls }]), tools: [echo, obedient.tool, deaf], maxParallelTools: 2 }
    const turn = createAgent({ ...options, graceMs: 1 }).turn('Go')
    const done = turn.untilDone()
    await deaf.started
    turn.cancel()
    const { outcome, messages } = await done
    const [answered] = toolMessages(messages)
    expect(answered?.results.map((answer) => [answer.status, resultText(answer.result)])).toEqual([
      ['ok', 'a'],
      ['cancelled', CANCELLED_TEXT],
      ['unknown', UNKNOWN_TEXT],
      ['not-run', NOT_RUN_TEXT],
    ])
    expect(outcome).toMatchObject({ rollback: record('appended-interrupted-result', 2, 3) })
  })

  test('results that were all there are recorded as completed', async () => {
    const options = { model: scriptedModel([{ calls: [say('a')] }]), tools: [echo] }
    const { lines, rollback } = await stopAt(options, ({ type }) => type === 'tool-settled')
    expect([lines.at(-1), rollback]).toEqual(['tool: ok', record('appended-completed-result', 2, 3)])
  })
})

test('Stop in the follow-up call leaves the real results', async () => {
  const model = scriptedModel([{ calls: [say('a')] }, { hang: 'until-abort' }])
  let started = 0
  const second = ({ type }: TurnEvent): boolean => {
    if (type === 'model-started') started += 1
    return started === 2
  }
  const { lines, rollback } = await stopAt({ model, tools: [echo] }, second)
  expect([lines, rollback]).toEqual([['user: Go', 'assistant: ', 'tool: ok'], record('unchanged', 3, 3)])
})

test('Stop in a compaction ends the turn and changes nothing', async () => {
  const asked = deferred()
  const model = scriptedModel(({ tools }) => {
    if (tools.length > 0) return { calls: [say('words '.repeat(2000))] }
    asked.resolve()
    return { hang: 'until-abort' }
  })
  const { turn, log } = startTurn(
    createAgent({ model, tools: [echo], compaction: autoCompaction({ window: 8000 }) }),
    'Go',
  )
  const done = turn.untilDone()
  await asked.promise
  turn.cancel()
  const { outcome, messages } = await done
  expect([outcome.kind, log.entries.some(({ type }) => type === 'overlay')]).toEqual(['cancelled', false])
  expect([outline(messages).at(-1), model.requests.at(-1)?.tools]).toEqual(['tool: ok', []])
})

test('Stop in a finaliser leaves the work and no answer', async () => {
  const model = scriptedModel([{ calls: [say('a')] }, 'It is a.', { text: '{"a":', hang: 'until-abort' }], {
    capabilities: { structuredOutput: true },
  })
  const { result, lines } = await stopAt(
    { model, tools: [echo], output: structured(z.object({ a: z.number() })) },
    (event) => event.type === 'text-delta' && event.delta.includes('{'),
  )
  expect([result.outcome.kind, result.output]).toEqual(['cancelled', undefined])
  expect(lines.slice(0, 4)).toEqual(['user: Go', 'assistant: ', 'tool: ok', 'assistant: It is a.'])
})

test('without history the record says so', async () => {
  const model = scriptedModel([{ text: 'Half', hang: 'until-abort' }])
  expect((await stopAt({ model }, text, false)).rollback?.status).toBe('history-disabled')
})

test('a turn that never began leaves an empty transcript and hands the input back', async () => {
  const turn = createAgent({ model: scriptedModel([]) }).turn('Go', { signal: AbortSignal.abort() })
  const { outcome } = await turn.untilDone()
  expect(outcome).toMatchObject({ rollback: record('empty', 0, 0), input: [{ type: 'text', text: 'Go' }] })
})

test('after every kind of Stop the next user message gets a normal answer', async () => {
  const wait = obedientTool('wait')
  const script: ScriptStep[] = [{ text: 'Half', hang: 'until-abort' }, 'One.', { calls: [{ name: 'wait' }] }, 'Two.']
  const { session, model } = openPage(script, { tools: [wait.tool] })
  const first = session.send('a')
  await until(session, ({ open }) => JSON.stringify(open ?? '').includes('Half'))
  await session.cancel()
  await first
  expect((await session.send('b')).text).toBe('One.')
  const third = session.send('c')
  await wait.started
  await session.cancel()
  expect([(await third).outcome.kind, (await session.send('d')).text]).toEqual(['cancelled', 'Two.'])
  expect(shown(session)).toEqual([
    ...['user: a', 'assistant: Half', 'user: b', 'assistant: One.'],
    ...['user: c', 'assistant: ', 'tool: cancelled', 'user: d', 'assistant: Two.'],
  ])
  expect(model.violations).toEqual([])
})
