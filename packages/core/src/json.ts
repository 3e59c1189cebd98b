/** A value that survives `JSON.stringify` and structured clone unchanged. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A plain JSON object. A missing key and an `undefined` one mean the same. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** Whether a value is an object with string keys: no array, no `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Freeze plain data and everything in it, in place, and return it.
 *
 * What is already frozen is taken to be frozen throughout, so handing the same object over twice costs nothing.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const key in value) {
    const inner = value[key]
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner)
  }
  return value
}

/** The same text for equal JSON, whatever the order of object keys. For comparing, never for showing. */
export function canonicalJson(value: unknown): string {
  // As most of it comes. Putting it in order costs six times as much.
  if (isInOrder(value)) return JSON.stringify(value)
  return JSON.stringify(value, (_key, inner: unknown) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}

/** Whether the keys of all objects in a value come in order. */
function isInOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isInOrder)
  const keys = Object.keys(value)
  return (
    keys.every((key, index) => index === 0 || key > (keys[index - 1] ?? '')) && Object.values(value).every(isInOrder)
  )
}

/** What a value is, in words for a model or a developer. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`
}
