/** More is cut: a page has to lay it out. */
const LONGEST = 100_000
const LONGEST_STRING = 20_000

/**
 * Any value of a session as readable JSON. Maps become objects; long strings and long results are cut, and say so; what JSON
 * cannot hold is named. Never throws.
 */
export function jsonText(value: unknown): string {
  try {
    const text = JSON.stringify(value, showable, 2) ?? String(value)
    return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters`
  } catch (error) {
    return `This cannot be shown as JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The same on one line of at most `length` characters. Looks at no more of the value than it has to show. */
export function jsonLine(value: unknown, length = 120): string {
  const text = lineOf(value, length)
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function lineOf(value: unknown, left: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, left + 1))
  if (typeof value !== 'object' || value === null) return String(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  let text = open
  for (const [key, inner] of isMap(value) ? value : Object.entries(value)) {
    if (text.length > left) return `${text}…`
    if (text !== open) text += ', '
    text += `${isList ? '' : `${key}: `}${lineOf(inner, left - text.length)}`
  }
  return text + close
}

function showable(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONGEST_STRING)
    return `${value.slice(0, LONGEST_STRING)}… ${value.length - LONGEST_STRING} more characters`
  if (isMap(value)) return Object.fromEntries(value)
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return String(value)
  return value
}

/** Whether a value is a map, the layered one of a snapshot too. */
export function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'get' in value &&
    'has' in value &&
    'entries' in value &&
    'forEach' in value
  )
}
