import type { JsonObject, JsonValue } from '@turnloop/core'

/** What grammars of JSON know in every engine. Patterns, formats and lengths do not: some engines refuse the whole schema for one. */
const KNOWN: ReadonlySet<string> = new Set([
  'type',
  'description',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
])

/**
 * A tool's schema in the few words that every engine's grammar knows. What it no longer says is checked when the call comes.
 *
 * A schema with references becomes "any object": they would point elsewhere once it stands inside another schema.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  return hasReference(schema) ? { type: 'object' } : plainObject(schema)
}

function plainObject(schema: JsonObject): JsonObject {
  return mapValues(schema, (value, key) => (KNOWN.has(key) ? plainMember(key, value) : undefined))
}

function plainMember(key: string, value: JsonValue): JsonValue {
  // Values of the tool's own, not schemas.
  if (key === 'enum' || key === 'const' || key === 'required') return value
  // The names under it are the tool's own, whatever they are.
  return key === 'properties' && isObject(value) ? mapValues(value, plainValue) : plainValue(value)
}

function plainValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plainValue)
  return isObject(value) ? plainObject(value) : value
}

/** Leaves out what is given as `undefined`. */
function mapValues(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue | undefined): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]) => {
    const changed = value === undefined ? undefined : change(value, key)
    return changed === undefined ? [] : [[key, changed] as const]
  })
  return Object.fromEntries(entries)
}

function hasReference(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasReference)
  if (!isObject(value)) return false
  return typeof value.$ref === 'string' || Object.values(value).some(hasReference)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
