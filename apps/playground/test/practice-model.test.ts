import { messageText, type ToolMessage, type TurnResult } from '@turnloop/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { answerOf } from '../src/model/read-results.ts'
import { type Talk, talk } from './talk.ts'

let shared: Talk

beforeAll(async () => {
  shared = await talk()
})

/** Ask in a conversation of its own. */
const askAnew = async (text: string, options?: Parameters<typeof talk>[0]): Promise<TurnResult> =>
  (await talk(options)).ask(text)

function batches(result: TurnResult): ToolMessage[] {
  const at = result.messages.findLastIndex((message) => message.role === 'user')
  return result.messages.slice(at).filter((message) => message.role === 'tool')
}

describe('questions about data', () => {
  test('a question with a chart is queried, drawn and answered with a table', async () => {
    const result = await shared.ask('average horsepower by origin, and chart it')
    const [query, chart] = batches(result).map((batch) => batch.results[0])
    const rows = answerOf(query, 'query_table')?.rows ?? []
    const drawn = answerOf(chart, 'draw_chart')

    expect(rows).toHaveLength(3)
    expect(drawn).toMatchObject({ kind: 'bar', title: 'Average Horsepower by Origin', y: { unit: 'hp' } })
    expect(drawn?.rows.map((row) => Object.values(row))).toEqual(rows)
    expect(result.text).toContain(
      '**USA** has the highest average Horsepower (119.9 hp), **Japan** the lowest (79.8 hp).',
    )
    expect(result.text).toContain('| Europe | 81.0 |')
  })

  test('a comparison asks for its figures in parallel', async () => {
    const result = await shared.ask('compare body mass and flipper length by species')

    expect(batches(result).map((batch) => batch.results.length)).toEqual([2])
    expect(result.text).toContain('| Gentoo | 5,076 | 217.2 |')
  })

  test('a time series is drawn as a line', async () => {
    const result = await shared.ask('average mpg by year and chart it')

    expect(answerOf(batches(result)[1]?.results[0], 'draw_chart')).toMatchObject({
      kind: 'line',
      x: { column: 'year' },
    })
  })

  test('several figures are drawn as several charts', async () => {
    const result = await shared.ask('average weight and horsepower by origin, and chart it')

    expect(batches(result).map((batch) => batch.results.length)).toEqual([1, 2])
  })

  test('the answer before is drawn on request', async () => {
    await shared.ask('top 3 cars by horsepower')
    const result = await shared.ask('chart that')

    expect(answerOf(batches(result)[0]?.results[0], 'draw_chart')).toMatchObject({ rowCount: 3, kind: 'bar' })
  })

  test('a figure alone is not drawn', async () => {
    const result = await shared.ask('average horsepower, and chart it')

    expect(shared.calls(result)).toEqual(['query_table'])
    expect(result.text).toContain('The average Horsepower is **105.1 hp**.')
    expect(result.text).toContain('A single figure makes no chart.')
  })

  test('a follow-up groups the question before otherwise', async () => {
    await shared.ask('average horsepower by origin')
    const result = await shared.ask('and by cylinders?')

    expect(result.text).toContain('| 8 | 158.5 |')
  })

  test('what was not understood is said', async () => {
    const result = await shared.ask('average horsepower of Japanese cars')

    expect(result.text).toContain('I did not understand “Japanese” and left it out.')
  })

  test.each([
    ['how many cars from Japan', 'There are **79** rows in Cars where a value is Japan.'],
    ['how many origins', 'Cars has **3** different values of Origin.'],
    ['which car has the highest horsepower?', '**pontiac grand prix** has the most Horsepower: 230 hp.'],
    ['correlation of weight and mpg', 'go strongly in opposite directions: r = **−0.83** over 398 rows.'],
    [
      'average horsepower where origin is Mars',
      'There is no average Horsepower where Origin is Mars: no row has a value.',
    ],
    ['show cars where origin is Mars', 'No rows of Cars match where Origin is Mars.'],
    ['describe the cars', '| Horsepower | number | 46 to 230 hp, mean 105.1 | 6 |'],
    ['plot flipper length by body mass', 'The scatter chart shows Flipper Length (mm) by Body Mass (g), 342 rows.'],
    ['list tables', '- **Seattle weather**: 1,461 rows;'],
  ])('%s', async (question, part) => {
    expect((await shared.ask(question)).text).toContain(part)
  })
})

describe('everything else', () => {
  test('a note is kept and found again', async () => {
    const talking = await talk()

    expect((await talking.ask('note that Japan leads in mileage')).text).toBe('Noted: Japan leads in mileage')
    expect((await talking.ask('what did I note about mileage?')).text).toContain('Japan leads in mileage')
    expect((await talking.ask('what did I note about penguins?')).text).toContain('no notes about “penguins”')
  })

  test('the last answer is noted on request', async () => {
    const talking = await talk()
    await talking.ask('average horsepower')

    expect((await talking.ask('note that')).text).toBe('Noted: The average Horsepower is 105.1 hp.')
  })

  test.each([
    ['12 % of 340', '12 % of 340 = **40.8**'],
    ['slowly count to 1', 'Counted to **1**.'],
    ['fail on purpose', '`fail_on_purpose` failed. It says: “This tool fails on purpose. Nothing is broken.”'],
    ['hello', 'no AI, only rules'],
    ['chart it', 'There is no answer to draw yet.'],
    ['average wingspan by species', 'I see no column “wingspan” in Penguins. It has: Species, Island,'],
    ['average origin', 'Origin holds text, so it has no average.'],
  ])('%s', async (question, part) => {
    expect((await askAnew(question)).text).toContain(part)
  })

  test('what it cannot do is said with three things it can', async () => {
    const { text, outcome } = await askAnew('who won the world cup?')

    expect(outcome.kind).toBe('completed')
    expect(text).toMatch(/^I cannot answer that:/)
    expect(text.match(/^- /gm)).toHaveLength(3)
  })

  test('without a table it asks for one', async () => {
    expect((await askAnew('average horsepower by origin', { tables: [] })).text).toContain('There is no table yet.')
  })

  test('without the tool it says which one it lacks', async () => {
    expect((await askAnew('average horsepower', { tools: [] })).text).toContain('I need the tool `query_table`')
  })
})

describe('Stop', () => {
  test('after a tool was stopped the next question is answered', async () => {
    const talking = await talk()
    const stop = new AbortController()
    const stopped = await talking.ask('slowly count to 1000', {
      signal: stop.signal,
      onEvent: (event) => event.type === 'tool-progress' && stop.abort(),
    })
    const next = await talking.ask('average horsepower')

    expect(stopped.outcome.kind).toBe('cancelled')
    expect(next.text).toBe('The average Horsepower is **105.1 hp**.')
    expect(talking.messages.filter((message) => message.role === 'user').map(messageText)).toHaveLength(2)
  })
})
