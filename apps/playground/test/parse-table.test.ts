import { describe, expect, test } from 'vitest'
import { parseTable } from '../src/data/parse-table.ts'
import { TableError } from '../src/data/table-error.ts'

const parse = (text: string, fileName = 'data.csv') => parseTable({ fileName, text })

function errorOf(text: string, fileName = 'data.csv'): TableError {
  try {
    parse(text, fileName)
  } catch (error) {
    if (error instanceof TableError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const types = (text: string, fileName?: string) => parse(text, fileName).columns.map((column) => column.type)

describe('separated values', () => {
  test('commas, tabs, semicolons and bars are told apart', () => {
    for (const separator of [',', '\t', ';', '|']) {
      const { columns, rows } = parse(`city,rain\nOslo,3\nRome,1\n`.replaceAll(',', separator))
      expect(columns.map((column) => column.name)).toEqual(['city', 'rain'])
      expect(rows).toEqual([
        ['Oslo', 3],
        ['Rome', 1],
      ])
    }
  })

  test('quoted values keep separators, quotes and line breaks', () => {
    expect(parse('a,b\r\n"x, ""y""","1\n2"\r\n').rows).toEqual([['x, "y"', '1\n2']])
  })

  test('a byte order mark is not part of the first name', () => {
    expect(parse('\ufeffcity,rain\nOslo,3\n').columns[0]?.name).toBe('city')
  })

  test('blank lines are left out', () => {
    expect(parse('\n\na,b\n\n1,2\n  \n3,4\n\n').rows).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  test('duplicate and empty names become different ones', () => {
    const { columns } = parse('a,A,,a\n1,2,3,4\n')
    expect(columns.map((column) => column.name)).toEqual(['a', 'A_2', 'column_3', 'a_3'])
  })

  test('a first line of numbers is data', () => {
    const { columns, rows } = parse('1,2\n3,4\n')
    expect(columns.map((column) => column.name)).toEqual(['column_1', 'column_2'])
    expect(rows).toHaveLength(2)
  })

  test('a short row is filled with missing values', () => {
    expect(parse('a,b,c\n1\n2,3,4\n').rows[0]).toEqual([1, null, null])
  })

  test('separators at the end of every row are no columns', () => {
    expect(parse('a,b\n1,2,\n3,4,,\n').rows).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  test('a header without rows is empty', () => {
    const error = errorOf('a,b,c\n')
    expect(error.code).toBe('empty')
    expect(error.message).toContain('no rows')
  })

  test('a row that is too long is named with its line', () => {
    const error = errorOf('a,b\n"1\n1",2\n\n3,4,5\n')
    expect(error.code).toBe('broken')
    expect(error.message).toBe(
      'data.csv, line 5: this row has 3 values, but the first line has 2. If a value holds the separator, put it in double quotes.',
    )
  })

  test('a quote that never closes is named with its line', () => {
    const error = errorOf('a,b\n1,2\n3,"4\n5,6\n')
    expect(error.code).toBe('broken')
    expect(error.message).toContain('line 3: a double quote opens here and never closes')
  })

  test('more rows than the limit are refused', () => {
    const error = errorOf(`a,b\n${'1,2\n'.repeat(1_000_001)}`)
    expect(error.code).toBe('too-big')
    expect(error.message).toContain('1,000,000 rows')
  })

  test('progress counts the rows read', () => {
    const counts: number[] = []
    parseTable({ fileName: 'd.csv', text: `a,b\n${'1,2\n'.repeat(45_000)}`, onRows: (count) => counts.push(count) })
    expect(counts).toEqual([20_000, 40_000])
  })
})

describe('what a column holds', () => {
  test('numbers, dates, booleans and text are told apart', () => {
    expect(types('n,d,b,t\n1.5,2020-01-31,true,x\n-2e3,2020-02-01,False,7\n')).toEqual([
      'number',
      'date',
      'boolean',
      'text',
    ])
  })

  test('missing values do not change what a column holds', () => {
    const { columns, rows } = parse('n,d,t\n1,2020-01-31,x\n,NA,\n-,null,-\n')
    expect(columns.map((column) => column.type)).toEqual(['number', 'date', 'text'])
    expect(rows.slice(1)).toEqual([
      [null, null, null],
      [null, null, '-'],
    ])
  })

  test('a column without any value is text', () => {
    expect(types('a,b\n1,\n2,NA\n')).toEqual(['number', 'text'])
  })

  test('thousands are understood', () => {
    expect(parse('a;b\n"1,234";x\n"1,234,567.5";y\n').rows.map((row) => row[0])).toEqual([1234, 1234567.5])
  })

  test('a decimal comma is understood between semicolons', () => {
    expect(parse('a;b\n1,5;1.234,75\n2,125;10\n').rows).toEqual([
      [1.5, 1234.75],
      [2.125, 10],
    ])
  })

  test('post codes and card numbers stay text', () => {
    expect(types('zip,card\n01234,1234567812345678\n98101,1234567812345679\n')).toEqual(['text', 'text'])
  })

  test('currency and percent signs become the unit', () => {
    const { columns, rows } = parse('price,share\n$1200.50,12%\n-$3,4 %\n')
    expect(columns.map((column) => [column.type, column.unit])).toEqual([
      ['number', '$'],
      ['number', '%'],
    ])
    expect(rows).toEqual([
      [1200.5, 12],
      [-3, 4],
    ])
  })

  test('two currencies in one column stay text', () => {
    expect(types('price,x\n$12,1\n€12,2\n')[0]).toBe('text')
  })

  test('a unit in the name is found', () => {
    expect(parse('mass (g),name (first)\n1,x\n').columns).toEqual([
      { name: 'mass (g)', type: 'number', unit: 'g' },
      { name: 'name (first)', type: 'text' },
    ])
  })

  test.each([
    ['2020-1-5', '2020-01-05'],
    ['2020/01/31', '2020-01-31'],
    ['2020-02', '2020-02-01'],
    ['31.12.2020', '2020-12-31'],
    ['12/31/98', '1998-12-31'],
    ['31/12/2020', '2020-12-31'],
    ['Jun 12 1998', '1998-06-12'],
    ['12 June 1998', '1998-06-12'],
    ['2020-01-31 08:05', '2020-01-31T08:05:00'],
    ['2020-01-31T23:30:00-02:00', '2020-02-01T01:30:00Z'],
    ['2020-01-31T23:30:00+0200', '2020-01-31T21:30:00Z'],
  ])('the date %s is read as %s', (written, iso) => {
    const { columns, rows } = parse(`d;x\n${written};1\n`)
    expect(columns[0]?.type).toBe('date')
    expect(rows[0]?.[0]).toBe(iso)
  })

  test('a day above 12 decides the order of day and month', () => {
    expect(parse('d;x\n03/04/2020;1\n25/04/2020;2\n').rows.map((row) => row[0])).toEqual(['2020-04-03', '2020-04-25'])
  })

  test('a day that does not exist keeps the column text', () => {
    expect(types('d,x\n2020-02-30,1\n')[0]).toBe('text')
  })
})

describe('JSON', () => {
  test('keys are columns in the order they first appear', () => {
    const { columns, rows } = parse('[{"a":1},{"b":"x","a":2},{"c":{"d":1}}]', 'd.json')
    expect(columns.map((column) => column.name)).toEqual(['a', 'b', 'c'])
    expect(rows).toEqual([
      [1, null, null],
      [2, 'x', null],
      [null, null, '{"d":1}'],
    ])
  })

  test('a list inside an object is found', () => {
    expect(parse('{"count":2,"data":[{"a":1},{"a":2}]}', 'd.json').rows).toHaveLength(2)
  })

  test('one object per line is read', () => {
    expect(parse('{"a":1}\n\n{"a":2}\n', 'd.jsonl').rows).toEqual([[1], [2]])
    expect(parse('{"a":1}\n{"a":2}\n', 'd.json').rows).toEqual([[1], [2]])
  })

  test('content decides when the name does not', () => {
    expect(parse('[{"a":1}]', 'export').rows).toEqual([[1]])
  })

  test('numbers, booleans and dates keep their types', () => {
    expect(
      types('[{"n":1.5,"b":true,"d":"1998-06-12","m":2012},{"n":null,"b":false,"d":null,"m":"x"}]', 'd.json'),
    ).toEqual(['number', 'boolean', 'date', 'text'])
  })

  test('broken JSON is named with its line', () => {
    const error = errorOf('[\n{"a":1},\n{"a":oops}\n]', 'd.json')
    expect(error.code).toBe('broken')
    expect(error.message).toBe('d.json, line 3: this is not valid JSON.')
  })

  test('a cut file is named with its last line', () => {
    expect(errorOf('[\n{"a":1},\n{"a":', 'd.json').message).toContain('line 3')
  })

  test('a broken line of JSON lines is named', () => {
    expect(errorOf('{"a":1}\n{"a":\n', 'd.ndjson').message).toBe('d.ndjson, line 2: this line is not valid JSON.')
  })

  test.each(['[1,2,3]', '{"a":[1,2]}', '"text"', '[[1,2],[3,4]]'])('%s is not a table', (text) => {
    expect(errorOf(text, 'd.json').code).toBe('not-a-table')
  })

  test('an empty list is empty', () => {
    expect(errorOf('[]', 'd.json').code).toBe('empty')
  })
})

describe('what is no table', () => {
  test('a web page is refused', () => {
    expect(errorOf('<!doctype html><p>hello</p>', 'page.html').code).toBe('not-a-table')
  })

  test('a text without separators is refused', () => {
    expect(errorOf('Dear all\nplease find attached\n', 'letter.txt').code).toBe('not-a-table')
  })

  test('a CSV file may have one column', () => {
    expect(parse('name\nOslo\nRome\n', 'cities.csv').rows).toEqual([['Oslo'], ['Rome']])
  })

  test('an empty text is empty', () => {
    expect(errorOf(' \n ').code).toBe('empty')
  })

  test('too many columns are refused', () => {
    const names = Array.from({ length: 501 }, (_, index) => `c${index}`).join(',')
    expect(errorOf(`${names}\n${names}\n`).code).toBe('too-big')
  })
})
