/** Reads one way of writing numbers; `undefined` for what is not written that way. */
export type NumberReader = (text: string) => number | undefined

const POINT = /^[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d*)?(?:[eE][-+]?\d+)?$/
const COMMA = /^[-+]?(?:\d+|\d{1,3}(?:[. ]\d{3})+)(?:,\d+)?$/

/** Numbers with a decimal point, thousands set apart by commas or not. */
export const readPointNumber: NumberReader = (text) =>
  POINT.test(text) && isQuantity(text) ? finite(text.replaceAll(',', '')) : undefined

/** Numbers with a decimal comma, thousands set apart by points or spaces or not. */
export const readCommaNumber: NumberReader = (text) =>
  COMMA.test(text) && isQuantity(text) ? finite(text.replace(/[. ]/g, '').replace(',', '.')) : undefined

/** Digits that are a name, not an amount, stay text: leading zeros (post codes), more than fifteen digits (card numbers). */
function isQuantity(text: string): boolean {
  return /\d/.test(text) && !/^[-+]?0\d/.test(text) && !/\d{16,}/.test(text)
}

function finite(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** A number with its currency or percent sign taken off, and what the sign was. */
export function splitSign(text: string): { digits: string; sign?: string } {
  const match = /^([-+]?)\s?([$€£¥])\s?(.*)$|^(.*?)\s?([%$€£¥])$/.exec(text)
  if (match === null) return { digits: text }
  const [, minus = '', before, rest = '', digits = '', after] = match
  if (before !== undefined) return { digits: minus + rest, sign: before }
  return after === undefined ? { digits: text } : { digits, sign: after }
}
