import type { RawCell, RawTable } from './raw-table.ts'
import { DATE_READERS } from './read-date.ts'
import { type NumberReader, readCommaNumber, readPointNumber, splitSign } from './read-number.ts'
import type { Cell, ColumnType, TableColumn, TableContent } from './table-info.ts'

/**
 * Find out what each column holds and turn its values into that.
 *
 * A column is of a type when every value that is not missing can be read as that type, in one way for the whole column;
 * else it is text.
 */
export function inferColumns(raw: RawTable): TableContent {
  const readings = raw.names.map((_name, place) => chooseReading(raw, place))
  const columns = raw.names.map((name, place): TableColumn => {
    const reading = readings[place]
    const unit = unitInName(name) ?? reading?.unit
    return { name, type: reading?.type ?? 'text', ...(unit !== undefined && reading?.type === 'number' && { unit }) }
  })
  const rows = raw.rows.map((row) => row.map((cell, place) => readings[place]?.read(cell) ?? null))
  return { columns, rows }
}

interface Reading {
  readonly type: ColumnType
  readonly unit?: string
  /** The value of a cell; `null` for a missing one, `undefined` for one that cannot be read this way. */
  read(cell: RawCell): Cell | undefined
}

function chooseReading(raw: RawTable, place: number): Reading {
  for (const candidate of candidates(raw, place)) {
    let values = 0
    const fits = raw.rows.every((row) => {
      const value = candidate.read(row[place] ?? null)
      if (value !== null) values += 1
      return value !== undefined
    })
    if (fits && values > 0) return candidate
  }
  return TEXT
}

function candidates({ rows, decimalComma }: RawTable, place: number): Reading[] {
  const sign = firstSign(rows, place)
  // "1,250" is a thousand or one and a quarter: the separator of the file tells which is likelier.
  const hasComma = decimalComma && rows.some((row) => String(row[place] ?? '').includes(','))
  const readers = hasComma ? [readCommaNumber, readPointNumber] : [readPointNumber]
  return [
    BOOLEAN,
    ...readers.map((reader) => numberReading(reader, sign)),
    ...DATE_READERS.map(
      (reader): Reading => ({
        type: 'date',
        read: (cell) => (isBlank(cell) ? null : typeof cell === 'string' ? reader(cell.trim()) : undefined),
      }),
    ),
  ]
}

function numberReading(reader: NumberReader, sign: string | undefined): Reading {
  return {
    type: 'number',
    ...(sign !== undefined && { unit: sign }),
    read: (cell) => {
      if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null
      if (isBlank(cell)) return null
      if (typeof cell !== 'string') return undefined
      const text = cell.trim()
      const split = sign === undefined ? { digits: text } : splitSign(text)
      // Two currencies in one column are not one amount.
      if (split.sign !== undefined && split.sign !== sign) return undefined
      return reader(split.digits.trim())
    },
  }
}

function firstSign(rows: RawTable['rows'], place: number): string | undefined {
  for (const row of rows) {
    const cell = row[place]
    if (typeof cell === 'string' && !isBlank(cell)) return splitSign(cell.trim()).sign
  }
  return undefined
}

const TRUE = /^(true|yes)$/i
const FALSE = /^(false|no)$/i

const BOOLEAN: Reading = {
  type: 'boolean',
  read: (cell) => {
    if (isBlank(cell)) return null
    const text = String(cell).trim()
    if (TRUE.test(text)) return 1
    return FALSE.test(text) ? 0 : undefined
  },
}

const TEXT: Reading = {
  type: 'text',
  read: (cell) => {
    const text = cell === null ? '' : String(cell).trim()
    return MISSING.test(text) ? null : text
  },
}

/** What programs write for a missing value. */
const MISSING = /^(na|n\/a|nan|null)?$/i

/** Between numbers, dates and booleans these mean missing as well; in a text they may be values. */
const PLACEHOLDER = /^(-|--|\?|\.|none)$/i

function isBlank(cell: RawCell): boolean {
  if (cell === null) return true
  if (typeof cell !== 'string') return false
  const text = cell.trim()
  return MISSING.test(text) || PLACEHOLDER.test(text)
}

/** The unit in a name such as "Body Mass (g)" or "price [EUR]". */
function unitInName(name: string): string | undefined {
  return /[([]\s*([^()[\]]{1,12}?)\s*[)\]]$/.exec(name)?.[1]
}
