import { resultText, type ToolResult } from '@turnloop/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDataLibrary, type DataLibrary } from '../../src/data/tables.ts'
import { answerOf } from '../../src/model/read-results.ts'
import { dataTools } from '../../src/tools/data-tools.ts'
import { callTool } from './call-tool.ts'

let library: DataLibrary

beforeAll(async () => {
  library = createDataLibrary()
  await library.addSample('cars')
})

afterAll(async () => {
  await dataTools(library).dispose?.()
  library.dispose()
})

const call = (toolName: string, input: object, options?: Parameters<typeof callTool>[3]): Promise<ToolResult> =>
  callTool(dataTools(library), toolName, input, options)

const query = async (sql: string) => answerOf(await call('query_table', { sql }), 'query_table')
const errorOf = async (toolName: string, input: object) => {
  const result = await call(toolName, input)
  expect(result.status).toBe('error')
  return resultText(result.result)
}

describe('query_table', () => {
  test('SQL over a data set that ships gives real figures', async () => {
    const answer = await query('SELECT Origin, avg(Horsepower), count(*) AS n FROM cars GROUP BY 1 ORDER BY 2 DESC')

    expect(answer?.columns).toEqual([
      { name: 'Origin', type: 'text' },
      { name: 'avg(Horsepower)', type: 'number', unit: 'hp' },
      { name: 'n', type: 'number' },
    ])
    expect(answer?.rows[0]).toEqual(['USA', expect.closeTo(119.9, 1), 254])
  })

  test('an answer ends at its limit and says so', async () => {
    const result = await call('query_table', { sql: 'SELECT Name FROM cars', maxRows: 3 })

    expect(answerOf(result, 'query_table')).toMatchObject({ rowCount: 3, truncated: true })
    expect(resultText(result.result)).toContain('Only the first 3 rows; there are more.')
  })

  test('an error tells the tables and columns there are', async () => {
    expect(await errorOf('query_table', { sql: 'SELECT Horsepowr FROM cars' })).toContain(
      'no such column: Horsepowr. Tables: "cars"("Name" text, "Miles_per_Gallon" number in mpg,',
    )
  })

  test('changes are refused and the table stays', async () => {
    expect(await errorOf('query_table', { sql: 'DELETE FROM cars' })).toContain('only reading is allowed')
    expect((await query('SELECT count(*) FROM cars'))?.rows).toEqual([[406]])
  })

  test('a file that is dropped later can be asked about', async () => {
    const file = new File(['city,rain\nOslo,3\nRome,1\n'], 'rain.csv')
    const { name } = await library.addFile(file)
    const answer = await query('SELECT city FROM rain ORDER BY rain')
    await library.remove(name)

    expect(answer?.rows).toEqual([['Rome'], ['Oslo']])
    expect(await errorOf('query_table', { sql: 'SELECT city FROM rain' })).toContain('no such table: rain')
  })

  test('a query that never ends is stopped with its worker, and the next one runs', async () => {
    const stop = new AbortController()
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n, cars'
    const running = call('query_table', { sql: endless }, { signal: stop.signal })
    setTimeout(() => stop.abort(), 50)

    expect((await running).status).not.toBe('ok')
    expect((await query('SELECT count(*) FROM cars'))?.rows).toEqual([[406]])
  })
})

describe('describe_table', () => {
  test('columns come with ranges, missing values and frequent values', async () => {
    const answer = answerOf(await call('describe_table', { table: 'Cars' }), 'describe_table')

    expect(answer).toMatchObject({ table: 'cars', rowCount: 406, sampleRows: { length: 5 } })
    expect(answer?.columns.find((column) => column.name === 'Horsepower')).toMatchObject({
      missing: 6,
      min: 46,
      max: 230,
      unit: 'hp',
    })
    expect(answer?.columns.find((column) => column.name === 'Origin')?.common?.[0]).toEqual({
      value: 'USA',
      count: 254,
    })
  })

  test('an unknown table is answered with those there are', async () => {
    expect(await errorOf('describe_table', { table: 'boats' })).toContain('There is no table "boats". Tables: "cars"(')
  })
})

describe('draw_chart', () => {
  const bar = { kind: 'bar', title: 'Power', x: 'Origin', y: 'power' }
  const sql = 'SELECT Origin, avg(Horsepower) AS power FROM cars GROUP BY 1'

  test('rows of a query are checked and handed over with their axes', async () => {
    const answer = answerOf(await call('draw_chart', { ...bar, sql, units: { y: 'hp' } }), 'draw_chart')

    expect(answer).toMatchObject({
      kind: 'bar',
      x: { column: 'Origin', type: 'text' },
      y: { column: 'power', type: 'number', unit: 'hp' },
      rowCount: 3,
    })
  })

  test('a unit comes with its column', async () => {
    const chart = { kind: 'scatter', title: 'Weight', x: 'Weight_in_lbs', y: 'Horsepower', sql: 'SELECT * FROM cars' }
    const answer = answerOf(await call('draw_chart', chart), 'draw_chart')

    expect(answer).toMatchObject({ x: { unit: 'lb', label: 'Weight in lbs' }, y: { unit: 'hp' }, rowCount: 400 })
    expect(answer?.note).toBe('6 rows lack a value and are not drawn.')
    expect(Object.keys(answer?.rows[0] ?? {})).toEqual(['Weight_in_lbs', 'Horsepower'])
  })

  test.each([
    [{ ...bar, sql, y: 'mean' }, '"y" is "mean", but the rows have: Origin, power.'],
    [{ ...bar, sql, y: 'Origin' }, '"y" has to be a number column; Origin holds text.'],
    [{ ...bar, sql: `${sql} HAVING 0` }, 'There are no rows to draw.'],
    [{ ...bar }, 'Give either "sql" or "rows".'],
    [{ kind: 'histogram', title: '', x: 'Origin', sql }, 'A histogram needs a number column as x, not Origin.'],
  ])('a chart that cannot be drawn is refused with its reason', async (chart, part) => {
    expect(await errorOf('draw_chart', chart)).toContain(part)
  })
})

describe('the other tools', () => {
  test('a sum is worked out without eval', async () => {
    expect(answerOf(await call('calculate', { expression: '12 % of 340' }), 'calculate')?.value).toBe(40.8)
    expect(await errorOf('calculate', { expression: 'hello there' })).not.toBe('')
  })

  test('a slow count tells its steps and stops when asked', async () => {
    const stop = new AbortController()
    const steps: unknown[] = []
    const input = { to: 1_000, stepMs: 20 }
    const result = await call('slow_count', input, {
      signal: stop.signal,
      onProgress: (update) => {
        steps.push(update)
        if (steps.length === 3) stop.abort()
      },
    })

    expect(steps[2]).toEqual({ label: 'Counted 3 of 1000', done: 3, total: 1_000 })
    expect(result.status).toBe('cancelled')
    expect((await query('SELECT count(*) FROM cars'))?.rows).toEqual([[406]])
  })

  test('a tool that fails on purpose is an error result', async () => {
    expect(await errorOf('fail_on_purpose', {})).toContain('This tool fails on purpose.')
  })
})
