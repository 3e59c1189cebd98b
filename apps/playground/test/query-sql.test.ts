import { beforeAll, describe, expect, test } from 'vitest'
import { SAMPLES } from '../src/data/samples.ts'
import type { Query } from '../src/model/query.ts'
import { querySql } from '../src/model/query-sql.ts'
import { readIntent } from '../src/model/read-intent.ts'
import { suggestions } from '../src/model/suggestions.ts'
import type { TableDatabase } from '../src/tools/table-database.ts'
import { PHRASES } from './phrases.ts'
import { sampleContent, sampleDatabase } from './sample-database.ts'
import { cars, sampleTables } from './sample-tables.ts'

let database: TableDatabase

beforeAll(async () => {
  database = await sampleDatabase()
})

function queriesOf(text: string): readonly Query[] {
  const intent = readIntent(text, { tables: sampleTables })
  if (intent.kind === 'query') return [intent.query]
  return intent.kind === 'compare' ? intent.queries : []
}

const run = async (sql: string) => (await database.select(sql, { maxRows: 1_000, timeLimitMs: 10_000 })).rows

async function answer(text: string) {
  const [query] = queriesOf(text)
  if (query === undefined) throw new Error(`not a query: ${text}`)
  return run(querySql(query))
}

test('every question about data becomes SQL that runs', async () => {
  const questions = Object.values(PHRASES).flatMap((phrases) => phrases.map(([text]) => text))
  const queries = questions.flatMap(queriesOf)

  for (const query of queries) expect(await run(querySql(query)), querySql(query)).not.toHaveLength(0)

  expect(queries.length).toBeGreaterThan(80)
})

describe('figures from the real data', () => {
  test.each([
    ['how many cars', [[406]]],
    ['how many cars from Japan', [[79]]],
    ['how many cars from japan or europe', [[152]]],
    ['how many origins', [[3]]],
    ['highest horsepower', [[230]]],
    ['median horsepower', [[95]]],
    ['how many cars in 1982', [[61]]],
    ['how many cars where name contains ford', [[53]]],
    ['how many cars where horsepower is missing', [[6]]],
    ['how many days between 2012 and 2013', [[731]]],
    [
      'how many penguins by island',
      [
        ['Biscoe', 168],
        ['Dream', 124],
        ['Torgersen', 52],
      ],
    ],
  ])('%s', async (text, rows) => {
    expect(await answer(text)).toEqual(rows)
  })

  test('shares add up to a hundred', async () => {
    const rows = await answer('share of penguins by island')

    expect(rows.reduce((sum, [, share]) => sum + Number(share), 0)).toBeCloseTo(100)
  })

  test('months come in the order of the year', async () => {
    const rows = await answer('average maximum temperature by month')

    expect(rows.map(([month]) => month).join(' ')).toBe('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec')
  })

  test('a value with a quote in it is found, not run', async () => {
    expect(await answer(`how many cars where name is "o'hara"`)).toEqual([[0]])
  })
})

describe('what is offered', () => {
  test('every example of a data set is understood', () => {
    const examples = SAMPLES.flatMap((sample) => sample.examples)
    const kinds = examples.map((text) => readIntent(text, { tables: sampleTables }).kind)

    expect(kinds.filter((kind) => !['query', 'compare', 'plot', 'describe'].includes(kind))).toEqual([])
  })

  test('every suggestion is understood', () => {
    for (const table of sampleTables) {
      const kinds = suggestions([table]).map((text) => readIntent(text, { tables: [table] }).kind)
      expect(kinds).toEqual(['query', 'query', 'describe'])
    }
    expect(suggestions([]).map((text) => readIntent(text, { tables: [] }).kind)).toEqual([
      'calculate',
      'slow-count',
      'save-note',
    ])
  })

  test('the data sets have as many rows and the columns as declared', () => {
    for (const table of sampleTables) {
      const content = sampleContent(table.name)
      const declared = SAMPLES.find((sample) => sample.id === table.sampleId)
      expect(content.rows).toHaveLength(table.rowCount)
      expect(declared?.rowCount).toBe(table.rowCount)
      expect(content.columns.map(({ name, type }) => [name, type])).toEqual(
        table.columns.map(({ name, type }) => [name, type]),
      )
    }
  })

  test('a table without numbers or groups is still described', () => {
    const plain = { ...cars, columns: [{ name: 'title', type: 'text' as const }] }

    expect(suggestions([plain])).toEqual(['Describe the table Cars', '12 % of 340', 'Slowly count to 20'])
  })
})
