import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDataLibrary, type DataLibrary, SAMPLES, TableError } from '../../src/data/tables.ts'
import { until } from './until.ts'

let library: DataLibrary

beforeEach(async () => {
  library = createDataLibrary()
  await library.ready
})

afterEach(async () => {
  for (const { name } of library.getSnapshot().tables) await library.remove(name)
  library.dispose()
})

const csv = (text: string, name = 'sales.csv'): File => new File([text], name, { type: 'text/csv' })

async function refusal(file: File): Promise<TableError> {
  const error: unknown = await library.addFile(file).catch((thrown: unknown) => thrown)
  if (error instanceof TableError) return error
  throw new Error(`no TableError: ${String(error)}`)
}

describe('data sets that ship', () => {
  test.each(SAMPLES.map((sample) => [sample.id, sample.rowCount] as const))(
    '%s has the %i rows it declares',
    async (id, rowCount) => {
      const table = await library.addSample(id)

      expect(table).toMatchObject({ name: id, source: 'sample', sampleId: id, rowCount })
      expect(library.getSnapshot().tables).toEqual([table])
    },
  )

  test('units are known', async () => {
    const { columns } = await library.addSample('cars')

    expect(columns.find((column) => column.name === 'Horsepower')).toEqual({
      name: 'Horsepower',
      type: 'number',
      unit: 'hp',
    })
  })

  test('one that is there is not loaded twice', async () => {
    const [first, second] = await Promise.all([library.addSample('penguins'), library.addSample('penguins')])

    expect(second).toBe(first)
    expect(library.getSnapshot().tables).toHaveLength(1)
  })
})

describe('files', () => {
  test('a file becomes a table that another page of this browser has too', async () => {
    const table = await library.addFile(csv('Region;Amount (EUR)\nNorth;1,5\nSouth;2,25\n', 'Sales 2024.csv'))
    const other = createDataLibrary()
    await other.ready

    expect(table).toEqual({
      name: 'sales_2024',
      label: 'Sales 2024',
      source: 'file',
      rowCount: 2,
      columns: [
        { name: 'Region', type: 'text' },
        { name: 'Amount (EUR)', type: 'number', unit: 'EUR' },
      ],
    })
    expect(other.getSnapshot().tables).toEqual([table])
    other.dispose()
  })

  test('an open page hears of a new table', async () => {
    const other = createDataLibrary()
    await other.ready
    await library.addFile(csv('a,b\n1,2\n'))

    await until(() => other.getSnapshot().tables.length === 1, other.subscribe)
    other.dispose()
  })

  test('a second file of one name gets a number', async () => {
    const tables = await Promise.all([library.addFile(csv('a,b\n1,2\n')), library.addFile(csv('a,b\n3,4\n'))])

    expect(tables.map((table) => table.name)).toEqual(['sales', 'sales_2'])
  })

  test('JSON, JSON lines and tab-separated files are read', async () => {
    const json = await library.addFile(new File(['[{"a":1},{"a":2}]'], 'one.json'))
    const lines = await library.addFile(new File(['{"a":1}\n{"a":2}\n{"a":3}'], 'two.jsonl'))
    const tabs = await library.addFile(new File(['a\tb\n1\t2\n'], 'three.tsv'))

    expect([json, lines, tabs].map((table) => table.rowCount)).toEqual([2, 3, 1])
  })

  test('UTF-16 and Windows text are read', async () => {
    const utf16 = new File(
      [new Uint8Array([0xff, 0xfe]), new Uint16Array([...'é,b\n1,2\n'].map((c) => c.charCodeAt(0)))],
      'a.csv',
    )
    const windows = new File([new Uint8Array([0xe9, 0x2c, 0x62, 0x0a, 0x31, 0x2c, 0x32])], 'b.csv')

    expect((await library.addFile(utf16)).columns[0]?.name).toBe('é')
    expect((await library.addFile(windows)).columns[0]?.name).toBe('é')
  })

  test('progress counts the rows while a large file is read', async () => {
    const counts = new Set<number | undefined>()
    const stop = library.subscribe(() => counts.add(library.getSnapshot().loading?.readRows))
    const rows = 'a,b\n' + '1,2\n'.repeat(120_000)
    const table = await library.addFile(csv(rows))
    stop()

    expect(table.rowCount).toBe(120_000)
    expect([...counts]).toContain(100_000)
    expect(library.getSnapshot().loading).toBeUndefined()
  })

  test('a removed table is gone after a reload', async () => {
    const { name } = await library.addFile(csv('a,b\n1,2\n'))
    await library.remove(name)
    const other = createDataLibrary()
    await other.ready

    expect(other.getSnapshot().tables).toEqual([])
    other.dispose()
  })
})

describe('files that are no tables', () => {
  test('a huge file is refused by its size, unread', async () => {
    const huge = csv('a,b\n1,2\n', 'huge.csv')
    Object.defineProperty(huge, 'size', { value: 100 * 1024 * 1024 })
    Object.defineProperty(huge, 'arrayBuffer', { value: () => Promise.reject(new Error('it was read')) })
    const error = await refusal(huge)

    expect(error.code).toBe('too-big')
    expect(error.message).toBe('huge.csv has 100 MB; this page reads files up to 50 MB. Drop a part of it.')
    expect(library.getSnapshot().error).toBe(error.message)
  })

  test.each([
    ['empty.csv', '', 'empty', 'empty.csv is empty.'],
    ['head.csv', 'a,b\n', 'empty', 'no rows below it'],
    ['page.html', '<!doctype html>', 'not-a-table', 'is a web page'],
    ['letter.txt', 'Dear all', 'not-a-table', 'has no columns'],
    ['sheet.xlsx', 'PK\u0003\u0004', 'not-a-table', 'Save the sheet as CSV'],
    ['photo.csv', 'a\u0000b', 'not-a-table', 'is not text'],
    ['cut.json', '[\n{"a":1},\n{"a"', 'broken', 'cut.json, line 3: this is not valid JSON.'],
    ['long.csv', 'a,b\n1,2\n1,2,3\n', 'broken', 'long.csv, line 3: this row has 3 values'],
  ])('%s is refused with its reason', async (name, text, code, part) => {
    const error = await refusal(new File([text], name))

    expect(error.code).toBe(code)
    expect(error.message).toContain(part)
    expect(library.getSnapshot()).toEqual({ tables: [], error: error.message })
  })

  test('the next file is read after one was refused', async () => {
    await refusal(new File([''], 'empty.csv'))
    await library.addFile(csv('a,b\n1,2\n'))

    expect(library.getSnapshot().error).toBeUndefined()
    expect(library.getSnapshot().tables).toHaveLength(1)
  })
})
