import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** What says nothing about a value. */
const NOTES = ['$schema', '$comment', 'title', 'description', 'default', 'examples', 'deprecated']
const CHECKED = ['type', 'enum', 'properties', 'required', 'additionalProperties', 'items', 'minimum', 'maximum']

const KNOWN: ReadonlySet<string> = new Set([...NOTES, ...CHECKED])

/**
 * Whether a value surely fits a JSON Schema, of any draft from 6 on. `false` says nothing: then a validator has to look.
 *
 * It knows what the arguments of most tools are made of: fields, lists, basic types, words to choose from, ranges. That is
 * so little that it costs next to nothing, where a validator has to be compiled first.
 */
export function plainlyFits(schema: JsonValue | undefined, value: unknown): boolean {
  if (!isJsonObject(schema)) return schema === true
  const kind = kindOfJson(value)
  if (kind === undefined || !Object.keys(schema).every((keyword) => KNOWN.has(keyword))) return false
  return (
    isOfType(schema.type, kind, value) &&
    (schema.enum === undefined || (Array.isArray(schema.enum) && schema.enum.some((word) => word === value))) &&
    (typeof value !== 'number' || isInRange(schema, value)) &&
    (!Array.isArray(value) || schema.items === undefined || value.every((item) => plainlyFits(schema.items, item))) &&
    (!isJsonObject(value) || hasFields(schema, value))
  )
}

function kindOfJson(value: unknown): string | undefined {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isFinite(value) ? 'number' : undefined
  return typeof value === 'string' || typeof value === 'boolean' || isJsonObject(value) ? typeof value : undefined
}

function isOfType(type: JsonValue | undefined, kind: string, value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(one ?? null, kind, value))
  return type === undefined || type === kind || (type === 'integer' && Number.isInteger(value))
}

function isInRange(schema: JsonObject, value: number): boolean {
  const { minimum = value, maximum = value } = schema
  return typeof minimum === 'number' && typeof maximum === 'number' && value >= minimum && value <= maximum
}

function hasFields(
  { properties = {}, required = [], additionalProperties = true }: JsonObject,
  value: object,
): boolean {
  if (!isJsonObject(properties) || !Array.isArray(required)) return false
  const hasAll = required.every((name) => typeof name === 'string' && Object.hasOwn(value, name))
  return (
    hasAll &&
    Object.entries(value).every(([name, field]) =>
      plainlyFits(Object.hasOwn(properties, name) ? properties[name] : additionalProperties, field),
    )
  )
}
