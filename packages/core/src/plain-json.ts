import { ToolError } from './errors.ts'
import type { JsonValue } from './json.ts'

/**
 * A plain JSON copy of a value.
 *
 * Dates become ISO text, bigints decimal text, Maps objects or pair lists, Sets lists, errors `{ name, message }`, class
 * instances their own fields, `undefined` members and non-finite numbers `null`. Throws `not-cloneable` with the path for
 * what has no such form: a function, a symbol, a cycle.
 */
export function toPlainJson(value: unknown, path: string): JsonValue {
  return copy(value, path, new Set())
}

function copy(value: unknown, path: string, above: Set<object>): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return value.toString()
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : copyObject(value, path, above)
    default:
      throw notPlain(path, typeof value === 'function' ? 'a function' : 'a symbol')
  }
}

function copyObject(value: object, path: string, above: Set<object>): JsonValue {
  if (above.has(value)) throw notPlain(path, 'a reference back to what holds it')
  above.add(value)
  try {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
    if (value instanceof Error) return { name: value.name, message: value.message }
    if (Array.isArray(value)) return value.map((item, index) => copy(item, `${path}[${index}]`, above))
    if (value instanceof Set) return [...value].map((item, index) => copy(item, `${path}[${index}]`, above))
    if (value instanceof Map) return copyMap(value, path, above)
    return copyMembers(Object.entries(value), path, above)
  } finally {
    above.delete(value)
  }
}

function copyMap(map: ReadonlyMap<unknown, unknown>, path: string, above: Set<object>): JsonValue {
  const entries = [...map]
  if (entries.every(([key]) => typeof key === 'string')) {
    return copyMembers(
      entries.map(([key, value]) => [String(key), value]),
      path,
      above,
    )
  }
  return entries.map((pair, index) => copy(pair, `${path}[${index}]`, above))
}

function copyMembers(members: readonly (readonly [string, unknown])[], path: string, above: Set<object>): JsonValue {
  const result: Record<string, JsonValue> = {}
  for (const [key, value] of members) if (value !== undefined) result[key] = copy(value, `${path}.${key}`, above)
  return result
}

function notPlain(path: string, kind: string): ToolError {
  return new ToolError(
    'not-cloneable',
    `${path} is ${kind}, which cannot be stored or sent. Return plain data instead.`,
    {
      facts: { path, kind },
    },
  )
}
