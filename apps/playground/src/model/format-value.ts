import type { Cell } from '../data/table-info.ts'

/** A number as people read it: thousands set apart, no more digits than say something. */
export function formatNumber(value: number, decimals: number | undefined = decimalsFor([value])): string {
  const text = Math.abs(value).toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text
}

/** How many decimals the numbers of one column need, so that they can be compared down the column. */
export function decimalsFor(values: readonly number[]): number {
  if (values.every(Number.isInteger)) return 0
  const largest = Math.max(...values.map(Math.abs))
  if (largest >= 1000) return 0
  if (largest >= 10) return 1
  return largest >= 1 ? 2 : 3
}

/** A number with its unit: "105.1 hp", "12 %", "$3". */
export function withUnit(value: Cell | undefined, unit: string | undefined, decimals?: number): string {
  if (value === null || value === undefined) return 'no value'
  if (typeof value !== 'number') return value
  const text = formatNumber(value, decimals)
  if (unit === undefined) return text
  return /^[$€£¥]$/.test(unit) ? `${unit}${text}` : `${text} ${unit}`
}

/** A value as the name of something; `(missing)` where there is none. */
export function nameOf(value: Cell | undefined): string {
  if (value === null || value === undefined) return '(missing)'
  return typeof value === 'number' && !Number.isInteger(value) ? formatNumber(value) : String(value)
}
