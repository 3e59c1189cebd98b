import { describe, expect, test } from 'vitest'
import type { TableInfo } from '../src/data/table-info.ts'
import { readIntent } from '../src/model/read-intent.ts'
import { intentLine } from './intent-line.ts'
import { PHRASES } from './phrases.ts'
import { cars, penguins, sampleTables, weather } from './sample-tables.ts'

const line = (text: string, tables = sampleTables) => intentLine(readIntent(text, { tables }))

for (const [topic, phrases] of Object.entries(PHRASES)) {
  describe(topic, () => {
    test.each(phrases)('%s', (text, intent) => {
      expect(line(text)).toBe(intent)
    })
  })
}

describe('what the words alone do not say', () => {
  test('a question without tables asks for one', () => {
    expect(line('average horsepower by origin', [])).toBe('no-tables')
    expect(line('hello', [])).toBe('greeting')
  })

  test('a follow-up groups the question before otherwise', () => {
    const previous = readIntent('average horsepower by origin where year is 1982', { tables: sampleTables })
    const next = readIntent('and by cylinders?', { tables: sampleTables, previous })
    expect(intentLine(next)).toBe('average(Horsepower) cars by Cylinders where Year/year = 1982')
  })

  test('the table that is named wins over the newest', () => {
    expect(line('how many cars', [cars, penguins])).toBe('count cars')
    expect(line('how many rows', [cars, penguins])).toBe('count penguins')
  })

  test('a question that names nothing stays with the table before', () => {
    const previous = readIntent('average horsepower', { tables: sampleTables })
    expect(intentLine(readIntent('how many rows', { tables: sampleTables, previous }))).toBe('count cars')
  })

  test('a column of one table is found among others', () => {
    expect(line('average wind', [weather, cars])).toBe('average(wind) weather')
  })

  test('a pasted file is no question, and soon told to be none', () => {
    expect(line('a,b,c\n1,2,3\n'.repeat(10_000))).toBe('unknown')
    expect(line(`note that ${'word '.repeat(2_000)}`)).toMatch(/^save-note word/)
  })
})

describe('a table of the visitor', () => {
  const sales: TableInfo = {
    name: 'sales_2024',
    label: 'Sales 2024',
    source: 'file',
    rowCount: 100,
    columns: [
      { name: 'Region', type: 'text' },
      { name: 'Amount (EUR)', type: 'number', unit: 'EUR' },
      { name: 'Order Date', type: 'date' },
      { name: 'customerName', type: 'text' },
      { name: 'is_paid', type: 'boolean' },
      { name: 'units_sold', type: 'number' },
    ],
  }

  test.each([
    ['total amount by region, and chart it', 'sum(Amount (EUR)) sales_2024 by Region chart any'],
    ['sales by region', 'count sales_2024 by Region'],
    ['how many rows are in sales?', 'count sales_2024'],
    ['how many sales are paid', 'count sales_2024 where is_paid = true'],
    ['total amount of sales that are not paid', 'sum(Amount (EUR)) sales_2024 where is_paid = false'],
    ['average amount where is paid is false', 'average(Amount (EUR)) sales_2024 where is_paid = false'],
    ['top 3 customers by amount', 'average(Amount (EUR)) sales_2024 by customerName max 3'],
    ['how many orders are late', 'count sales_2024 ignoring late Order Date'],
    ['trend of amount', 'average(Amount (EUR)) sales_2024 by Order Date'],
    ['how does amount depend on units sold?', 'correlation sales_2024 Amount (EUR) units_sold'],
    ['total amount for North', 'sum(Amount (EUR)) sales_2024 where ? = North'],
    [
      'average amount by region where units sold > 5 and region is not North, as a bar chart',
      'average(Amount (EUR)) sales_2024 by Region where units_sold > 5, Region != North chart bar',
    ],
  ])('%s', (text, intent) => {
    expect(line(text, [...sampleTables, sales])).toBe(intent)
  })
})
