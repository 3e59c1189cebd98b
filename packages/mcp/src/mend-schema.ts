import type { JsonObject, JsonValue } from '@turnloop/core'

/**
 * A tool's schema in one dialect, draft 2020-12, that says the same: what arguments are checked against.
 *
 * Older spellings are brought up to date, types that do not exist are taken for what they mean or for anything, and
 * references that lead nowhere or out of the schema stand for anything: they cannot be looked up here, and the server
 * checks again. `$schema`, `$id` and anchors are gone, so every reference starts at the root.
 */
export function mendSchema(schema: JsonObject): JsonObject {
  return mendObject(schema, schema)
}

/** The part of a schema that a reference names, if it starts at the root and leads to an object. */
export function resolveReference(root: JsonObject, reference: JsonValue | undefined): JsonObject | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined
  let found: JsonValue | undefined = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeStep(step)
    if (Array.isArray(found)) found = found[Number(key)]
    else found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  }
  return isObject(found) ? found : undefined
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

/** Whether a part of a schema is an object, rather than a list, a flag or a plain value. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Mend = (value: JsonValue | undefined, root: JsonObject) => JsonValue | undefined

function mendObject(schema: JsonObject, root: JsonObject): JsonObject {
  const mended: { [key: string]: JsonValue | undefined } = {}
  for (const [key, value] of Object.entries(withModernKeys(schema))) {
    const rule = Object.hasOwn(RULES, key) ? RULES[key] : undefined
    const result = rule === undefined ? value : rule(value, root)
    // Not by assignment alone: a property may be called "__proto__".
    if (result !== undefined) Object.defineProperty(mended, key, { value: result, enumerable: true })
  }
  return mended
}

/** What older drafts and OpenAPI write in other words. */
function withModernKeys(schema: JsonObject): JsonObject {
  const { nullable, additionalItems, $recursiveRef, items, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  const { minimum, maximum, type } = rest
  return {
    ...rest,
    ...($recursiveRef === '#' && { $ref: '#' }),
    ...(nullable === true && typeof type === 'string' && { type: [type, 'null'] }),
    ...(Array.isArray(items) ? { prefixItems: items, items: additionalItems } : { items }),
    // Draft 4: a flag beside the limit.
    exclusiveMinimum: exclusiveMinimum === true ? minimum : exclusiveMinimum,
    exclusiveMaximum: exclusiveMaximum === true ? maximum : exclusiveMaximum,
  }
}

const anySchema: Mend = (value, root) => {
  if (typeof value === 'boolean') return value ? {} : { not: {} }
  return isObject(value) ? mendObject(value, root) : {}
}
const ifPresent: Mend = (value, root) => (value === undefined ? undefined : anySchema(value, root))
const flagOrSchema: Mend = (value, root) => (typeof value === 'boolean' ? value : ifPresent(value, root))
const schemaList: Mend = (value, root) =>
  Array.isArray(value) && value.length > 0 ? value.map((item) => anySchema(item, root) ?? {}) : undefined
const schemaMap: Mend = (value, root) =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, anySchema(inner, root)]))
    : undefined
const number: Mend = (value) => (typeof value === 'number' ? value : undefined)
const nothing: Mend = () => undefined

const RULES: Readonly<Record<string, Mend>> = {
  $schema: nothing,
  $id: nothing,
  id: (value) => (isObject(value) ? value : undefined),
  $anchor: nothing,
  $dynamicAnchor: nothing,
  $dynamicRef: nothing,
  $recursiveAnchor: nothing,
  $comment: nothing,
  $ref: (value, root) => (resolveReference(root, value) === undefined ? undefined : value),
  type: mendType,
  required: (value) =>
    Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === 'string'))] : undefined,
  enum: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  properties: schemaMap,
  patternProperties: schemaMap,
  $defs: schemaMap,
  definitions: schemaMap,
  dependentSchemas: schemaMap,
  additionalProperties: flagOrSchema,
  unevaluatedProperties: flagOrSchema,
  unevaluatedItems: flagOrSchema,
  items: flagOrSchema,
  not: ifPresent,
  if: ifPresent,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: ifPresent,
  else: ifPresent,
  contains: ifPresent,
  propertyNames: ifPresent,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  prefixItems: schemaList,
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** What servers write for a type, and mean. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['text', 'string'],
  ['date', 'string'],
  ['datetime', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['map', 'object'],
  ['list', 'array'],
  ['none', 'null'],
])

function mendType(value: JsonValue | undefined): JsonValue | undefined {
  const types = (Array.isArray(value) ? value : [value]).map((type) => {
    const name = String(type).toLowerCase()
    return MEANT.get(name) ?? name
  })
  // One that means nothing makes the whole list mean anything.
  if (!types.every((type) => TYPES.has(type))) return undefined
  return types.length === 1 ? types[0] : [...new Set(types)]
}
