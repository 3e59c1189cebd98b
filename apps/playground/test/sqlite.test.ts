import { beforeAll, describe, expect, test } from 'vitest'
import { quoteName } from '../src/tools/sql-text.ts'
import { openSqlite, type Sqlite } from '../src/tools/sqlite.ts'

let sqlite: Sqlite
const options = { maxRows: 100, timeLimitMs: 5_000 }

beforeAll(async () => {
  sqlite = await openSqlite()
  sqlite.run('CREATE TABLE "points" ("x" NUMERIC, "y" NUMERIC, "place name" TEXT)')
  sqlite.insertRows('points', [
    [1, 2, 'Oslo'],
    [2, 4, 'Rome'],
    [3, 6.5, "L'Aquila"],
    [null, 9, null],
  ])
})

const rows = (sql: string) => sqlite.select(sql, options).rows

describe('reading', () => {
  test('values come back as they went in', () => {
    expect(rows('SELECT * FROM points')).toEqual([
      [1, 2, 'Oslo'],
      [2, 4, 'Rome'],
      [3, 6.5, "L'Aquila"],
      [null, 9, null],
    ])
  })

  test('a column tells the table it was taken from', () => {
    expect(sqlite.select('SELECT p."x" AS a, max("y") AS b FROM points p', options).columns).toEqual([
      { name: 'a', table: 'points', column: 'x' },
      { name: 'b' },
    ])
  })

  test('an answer ends at its limit and says so', () => {
    expect(sqlite.select('SELECT x FROM points', { ...options, maxRows: 3 }).truncated).toBe(true)
    expect(sqlite.select('SELECT x FROM points', { ...options, maxRows: 4 }).truncated).toBe(false)
  })

  test('median, deviation and correlation leave out missing values', () => {
    expect(rows('SELECT median(x), stddev(x) FROM points')).toEqual([[2, 1]])
    expect(rows('SELECT corr(x, 2 * x), corr(x, -x), corr(x, 7) FROM points')).toEqual([[1, -1, null]])
  })

  test('groups do not mix in an aggregate', () => {
    expect(rows('SELECT x > 1, corr(x, y) IS NULL, stddev(y) FROM points WHERE x > 0 GROUP BY 1')[0]).toEqual([
      0,
      1,
      null,
    ])
  })

  test('a huge whole number comes back as a number', () => {
    expect(rows('SELECT 9007199254740993')).toEqual([[9007199254740992]])
  })
})

describe('what is refused', () => {
  test.each([
    "INSERT INTO points VALUES (1, 2, 'x')",
    'DELETE FROM points',
    'DROP TABLE points',
    'CREATE TABLE other (a)',
    'PRAGMA table_info(points)',
    "ATTACH ':memory:' AS other",
    'WITH gone AS (SELECT 1) DELETE FROM points',
  ])('%s', (sql) => {
    expect(() => rows(sql)).toThrow(/only reading is allowed/)
    expect(rows('SELECT count(*) FROM points')).toEqual([[4]])
  })

  test('a second statement', () => {
    expect(() => rows('SELECT 1; DROP TABLE points')).toThrow('one query at a time')
    expect(rows('SELECT 1; -- that is all\n')).toEqual([[1]])
  })

  test('a text in double quotes is no value', () => {
    expect(() => rows('SELECT * FROM points WHERE "place name" = "Oslo"')).toThrow('no such column: "Oslo"')
  })

  test('a query that runs too long is stopped', () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
    expect(() => sqlite.select(endless, { maxRows: 1, timeLimitMs: 50 })).toThrow('stopped after 0.05 s')
    expect(rows('SELECT 1')).toEqual([[1]])
  })

  test('writing is possible again after a query', () => {
    expect(() => rows('SELEKT')).toThrow('syntax error')
    sqlite.run(`CREATE TABLE ${quoteName('odd "name"')} (a)`)
    sqlite.insertRows('odd "name"', [[1]])
    expect(rows('SELECT * FROM "odd ""name"""')).toEqual([[1]])
  })
})
