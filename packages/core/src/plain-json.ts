import { ToolError } from './errors.ts'
import type { JsonValue } from './json.ts'

/**
 * A plain JSON copy of a value.
 *
 * Dates become ISO text, bigints decimal text, Maps objects or pair lists, Sets and typed arrays lists, errors
 * `{ name, message }`, what has a `toJSON` what that gives, other class instances their own fields. `undefined` members are
 * left out; in lists they, and anywhere non-finite numbers, become `null`. Throws `not-cloneable` with the path for what has
 * no such form: a function, a symbol, a cycle, or an object of a class that shows no fields, such as a promise.
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
    if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(''), path, above)
    if (value instanceof Map) return copyMap(value, path, above)
    if (isList(value)) return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, above))
    const members = Object.entries(value)
    if (members.length === 0 && !isBare(value)) throw notPlain(path, nameOf(value))
    return copyMembers(members, path, above)
  } finally {
    above.delete(value)
  }
}

function isList(value: object): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof Set || (ArrayBuffer.isView(value) && Symbol.iterator in value)
}

/** Whether an object is one of no class, of whatever realm: its prototype, if any, is the last one. */
function isBare(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function nameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  const name = tag === 'Object' ? value.constructor.name : tag
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`
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
  const present = members.filter(([, value]) => value !== undefined)
  // Not by assignment: a key may be "__proto__".
  return Object.fromEntries(present.map(([key, value]) => [key, copy(value, `${path}.${key}`, above)]))
}

function notPlain(path: string, kind: string): ToolError {
  return new ToolError('not-cloneable', `${path} is ${kind}, which cannot be stored or sent. Use plain data instead.`, {
    facts: { path, kind },
  })
}
