/** The value below which the share `q` of the numbers lies. @param {readonly number[]} numbers @param {number} q */
export function quantile(numbers, q) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * q
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

/** @param {readonly number[]} numbers @returns {number} NaN if there are none. */
export const median = (numbers) => quantile(numbers, 0.5)

/** Three significant digits, for tables; a dash for what is not known. @param {number | undefined} value */
export function digits(value) {
  if (value === undefined || !Number.isFinite(value)) return '–'
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}
