import type { Message, ModelEvent, ModelRequest, ToolResult } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { practiceModel } from '../src/model/practice-model.ts'
import { sampleTables } from './sample-tables.ts'

const tables = () => sampleTables
const model = practiceModel({ tables, speed: 'full' })

const ask = (text: string): Message => ({
  id: text,
  role: 'user',
  createdAt: 0,
  content: [{ type: 'text', text }],
})

const call = (toolName: string): Message => ({
  id: toolName,
  role: 'assistant',
  createdAt: 0,
  stopReason: 'toolUse',
  content: [{ type: 'tool-call', callId: 'c1', wireId: 'c1', toolName, inputText: '{}' }],
})

function results(toolName: string, result: Partial<ToolResult>): Message {
  const full: ToolResult = { callId: 'c1', toolName, status: 'ok', result: { content: [] }, ...result }
  return { id: 'results', role: 'tool', createdAt: 0, results: [full] }
}

const TOOLS = ['query_table', 'draw_chart', 'slow_count', 'calculate'].map((name) => ({
  name,
  description: '',
  inputSchema: {},
}))

async function reply(messages: readonly Message[], request: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  const { signal } = new AbortController()
  for await (const event of model.stream({ messages, tools: TOOLS, ...request }, { signal })) events.push(event)
  return events
}

const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')

const callsOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-call' ? [[event.toolName, JSON.parse(event.inputText)]] : []))

test('a call streams a thought, its arguments, the call and the finish', async () => {
  const events = await reply([ask('12 % of 340')])
  const kinds = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1])

  expect(kinds).toEqual([
    'started',
    'reasoning-start',
    'reasoning-delta',
    'reasoning-end',
    'tool-input-start',
    'tool-input-delta',
    'tool-input-end',
    'tool-call',
    'finish',
  ])
  expect(callsOf(events)).toEqual([['calculate', { expression: '12 % of 340' }]])
  expect(events.at(-1)).toMatchObject({ stopReason: 'toolUse', usage: { outputTokens: expect.any(Number) } })
})

test('argument deltas join to the arguments', async () => {
  const events = await reply([ask('average horsepower by origin')])
  const joined = events.map((event) => (event.type === 'tool-input-delta' ? event.delta : '')).join('')

  expect(JSON.parse(joined)).toEqual(callsOf(events)[0]?.[1])
})

test('calls have ids of their own', async () => {
  const ids = (await reply([ask('compare horsepower and weight by origin')])).flatMap((event) =>
    event.type === 'tool-call' ? [event.id] : [],
  )

  expect(new Set(ids).size).toBe(2)
})

test('a turn goes on from results that are there after a reload', async () => {
  const answer = { expression: '12 % of 340', value: 40.8 }
  const settled = results('calculate', { result: { content: [], structuredContent: answer } })
  const events = await reply([ask('12 % of 340'), call('calculate'), settled])

  expect(textOf(events)).toBe('12 % of 340 = **40.8**')
  expect(events.at(-1)).toMatchObject({ type: 'finish', stopReason: 'endTurn' })
})

test.each([
  ['cancelled', '`slow_count` was stopped before it was done'],
  ['unknown', '`slow_count` was given up; whether it finished is not known'],
  ['not-run', '`slow_count` was not run'],
  ['denied', 'You did not allow `slow_count`'],
] as const)('a result that is %s is told as such', async (status, part) => {
  const events = await reply([ask('slowly count to 20'), call('slow_count'), results('slow_count', { status })])

  expect(textOf(events)).toContain(part)
  expect(callsOf(events)).toEqual([])
})

test('an error of a tool is quoted and ends the script', async () => {
  const error = { content: [{ type: 'text' as const, text: 'no such column: "x". Tables: …' }], isError: true }
  const failed = results('query_table', { status: 'error', result: error })
  const events = await reply([ask('average horsepower by origin, and chart it'), call('query_table'), failed])

  expect(textOf(events)).toContain('`query_table` failed. It says: “no such column: "x". Tables: …”')
  expect(callsOf(events)).toEqual([])
})

test('a chart that fails does not take the answer away', async () => {
  const rows = {
    sql: '',
    columns: [
      { name: 'Origin', type: 'text' },
      { name: 'average Horsepower', type: 'number', unit: 'hp' },
    ],
    rows: [
      ['USA', 119.9],
      ['Japan', 79.8],
    ],
    rowCount: 2,
    truncated: false,
  }
  const chartFailed = results('draw_chart', {
    status: 'error',
    result: { content: [{ type: 'text', text: 'out of ink' }], isError: true },
  })
  const events = await reply([
    ask('average horsepower by origin, and chart it'),
    call('query_table'),
    results('query_table', { result: { content: [], structuredContent: rows } }),
    call('draw_chart'),
    chartFailed,
  ])

  expect(textOf(events)).toContain('| USA | 119.9 |')
  expect(textOf(events)).toContain('There is no chart: `draw_chart` failed. It says: “out of ink”')
})

test('a stopped call of an earlier turn does not disturb the next question', async () => {
  const stopped = results('slow_count', { status: 'cancelled' })
  const events = await reply([ask('slowly count to 20'), call('slow_count'), stopped, ask('12 % of 340')])

  expect(callsOf(events)).toEqual([['calculate', { expression: '12 % of 340' }]])
})

test('what the loop says in the place of the user is no question', async () => {
  const nudge: Message = { ...ask('Go on.'), role: 'user', synthetic: 'nudge' } as Message
  const events = await reply([ask('12 % of 340'), nudge])

  expect(callsOf(events)).toEqual([['calculate', { expression: '12 % of 340' }]])
})

test('a choice of no tools is kept', async () => {
  const events = await reply([ask('12 % of 340')], { toolChoice: 'none' })

  expect(callsOf(events)).toEqual([])
  expect(textOf(events)).toContain('I need the tool `calculate`')
})

test('at human speed words come one after another', async () => {
  const clock = manualClock()
  const slow = practiceModel({ tables, clock })
  const stream = slow.stream({ messages: [ask('hello')], tools: [] }, { signal: new AbortController().signal })
  const events: ModelEvent[] = []
  const done = (async () => {
    for await (const event of stream) events.push(event)
  })()

  await clock.advance(300)
  const early = textOf(events).length
  await clock.advance(60_000)
  await done

  expect(early).toBeGreaterThan(0)
  expect(textOf(events).length).toBeGreaterThan(early)
})

test('an abort ends the stream at once and without a finish', async () => {
  const clock = manualClock()
  const stop = new AbortController()
  const slow = practiceModel({ tables, clock })
  const events: ModelEvent[] = []
  const done = (async () => {
    for await (const event of slow.stream({ messages: [ask('hello')], tools: [] }, { signal: stop.signal })) {
      events.push(event)
    }
  })()

  await clock.advance(300)
  stop.abort()
  await done

  expect(events.map((event) => event.type)).not.toContain('finish')
})
