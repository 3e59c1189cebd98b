/** Reads one way of writing dates: ISO text, or `undefined` for what is not written that way. */
export type DateReader = (text: string) => string | undefined

const TIME = String.raw`(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?`

/**
 * The ways of writing a date that are understood, the clear ones first.
 *
 * `03/04/2020` is read month first unless a column has a day above 12 in that place, when only the other reader fits.
 */
export const DATE_READERS: readonly DateReader[] = [
  zonedDate,
  ordered(String.raw`(\d{4})[-/](\d{1,2})[-/](\d{1,2})`, ['year', 'month', 'day']),
  ordered(String.raw`(\d{4})-(\d{2})`, ['year', 'month']),
  ordered(String.raw`(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})`, ['day', 'month', 'year']),
  ordered(String.raw`(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})`, ['month', 'day', 'year']),
  ordered(String.raw`(\d{1,2})[/-](\d{1,2})[/-](\d{4}|\d{2})`, ['day', 'month', 'year']),
  ordered(String.raw`([A-Za-z]{3,9})\.?[ -](\d{1,2}),?[ -](\d{4})`, ['month', 'day', 'year']),
  ordered(String.raw`(\d{1,2})\.?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})`, ['day', 'month', 'year']),
]

type Field = 'year' | 'month' | 'day'

function ordered(pattern: string, fields: readonly Field[]): DateReader {
  const expression = new RegExp(`^${pattern}${TIME}$`)
  return (text) => {
    const match = expression.exec(text)
    if (match === null) return undefined
    const found = { year: '', month: '', day: '1' }
    for (const [index, field] of fields.entries()) found[field] = match[index + 1] ?? ''
    const day = isoDay(readYear(found.year), readMonth(found.month), Number(found.day))
    const [hour, minute, second] = match.slice(fields.length + 1)
    if (day === undefined || hour === undefined) return day
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second ?? 0) > 59) return undefined
    return `${day}T${hour.padStart(2, '0')}:${minute}:${second ?? '00'}`
  }
}

/** A moment with its time zone becomes UTC, so that text order is time order. */
function zonedDate(text: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})$/.test(text)) return undefined
  const time = Date.parse(
    text.replace(' ', 'T').replace(/\s|(?<=[+-]\d{2})(?=\d{2}$)/g, (gap) => (gap === '' ? ':' : '')),
  )
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, 19)}Z`
}

function readYear(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year < 70 ? 2000 + year : 1900 + year
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTH_NAME =
  /^(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)$/i

function readMonth(text: string): number {
  if (/^\d/.test(text)) return Number(text)
  return MONTH_NAME.test(text) ? MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1 : 0
}

/** The day as ISO text, unless the calendar has no such day. */
function isoDay(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : undefined
}
