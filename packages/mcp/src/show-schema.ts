import type { JsonObject, JsonValue } from '@turnloop/core'
import { isObject, resolveReference } from './mend-schema.ts'

/** More parts than any provider takes: references that multiply end here. */
const MOST_PARTS = 5_000

/**
 * A mended schema as every provider takes it: no references, an object at its top.
 *
 * References are written out, and one that leads back into itself becomes its bare type: so a model may see less than the
 * rules, and arguments are checked against the whole. Alternatives at the top are joined into one object.
 * Throws for a schema that is no object at its top, or too large.
 */
export function showSchema(mended: JsonObject): JsonObject {
  const writer: Writer = { root: mended, open: [], parts: 0 }
  const { $defs: _defs, definitions: _definitions, ...top } = write(mended, writer)
  const { type } = top
  const isObjectType = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObjectType) throw new TypeError(`its arguments are of type ${JSON.stringify(type)}, not an object`)
  const joined = joinAlternatives(top)
  const { properties } = joined
  return { ...joined, type: 'object', properties: isObject(properties) ? properties : {} }
}

interface Writer {
  readonly root: JsonObject
  /** References that are being written out. */
  readonly open: string[]
  parts: number
}

function write(schema: JsonObject, writer: Writer): JsonObject {
  writer.parts += 1
  if (writer.parts > MOST_PARTS) throw new RangeError(`it has more than ${MOST_PARTS} parts`)
  const { $ref, ...own } = schema
  if (typeof $ref !== 'string') return writeParts(own, writer)
  const target = resolveReference(writer.root, $ref) ?? {}
  if (writer.open.includes($ref)) {
    const { type } = target
    return { ...(type !== undefined && { type }), ...(type === 'array' && { items: {} }), ...writeParts(own, writer) }
  }
  writer.open.push($ref)
  const { $defs: _defs, definitions: _definitions, ...written } = write(target, writer)
  writer.open.pop()
  return { ...written, ...writeParts(own, writer) }
}

const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SINGLES: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
])

function writeParts(schema: JsonObject, writer: Writer): JsonObject {
  const entries = Object.entries(schema).filter(([key]) => key !== '$defs' && key !== 'definitions')
  return withItems(Object.fromEntries(entries.map(([key, value]) => [key, writePart(key, value, writer)])))
}

function writePart(key: string, value: JsonValue | undefined, writer: Writer): JsonValue | undefined {
  if (MAPS.has(key) && isObject(value)) {
    const members = Object.entries(value).filter(([, inner]) => !isNever(inner))
    return Object.fromEntries(members.map(([name, inner]) => [name, isObject(inner) ? write(inner, writer) : inner]))
  }
  if (LISTS.has(key) && Array.isArray(value)) {
    return value.map((inner: JsonValue) => (isObject(inner) ? write(inner, writer) : inner))
  }
  return SINGLES.has(key) && isObject(value) ? write(value, writer) : value
}

/** A property that may not be there need not be told of. */
function isNever(schema: JsonValue | undefined): boolean {
  return isObject(schema) && Object.keys(schema).length === 1 && isObject(schema.not) && isEmpty(schema.not)
}

function isEmpty(schema: JsonObject): boolean {
  return Object.keys(schema).length === 0
}

/** Some providers refuse a list that does not say what is in it, and none knows tuples. */
function withItems(schema: JsonObject): JsonObject {
  const { prefixItems, items, ...rest } = schema
  if (Array.isArray(prefixItems)) {
    const kinds: readonly JsonValue[] = isObject(items) && !isEmpty(items) ? [...prefixItems, items] : prefixItems
    return { ...rest, items: kinds.length === 1 ? (kinds[0] ?? {}) : { anyOf: kinds } }
  }
  const isList = rest.type === 'array' || (Array.isArray(rest.type) && rest.type.includes('array'))
  if (isObject(items)) return { ...rest, items }
  return isList ? { ...rest, items: {} } : rest
}

/** `anyOf`, `oneOf` and `allOf` at the top, which some providers refuse, as one object that has what any of them has. */
function joinAlternatives(top: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...own } = top
  const all = objectsOf(allOf)
  const choices = [objectsOf(anyOf), objectsOf(oneOf)].filter((list) => list.length > 0)
  if (all.length === 0 && choices.length === 0) return top
  const nested = [...all, ...choices.flat()].map(joinAlternatives)
  const joinedAll = nested.slice(0, all.length)
  let next = all.length
  const joinedChoices = choices.map((list) => {
    const part = nested.slice(next, next + list.length)
    next += list.length
    return part
  })
  const required = new Set([own, ...joinedAll].flatMap(requiredOf))
  for (const list of joinedChoices) {
    for (const name of requiredOf(list[0]))
      if (list.every((item) => requiredOf(item).includes(name))) required.add(name)
  }
  // What one alternative closes, another may open.
  const { additionalProperties: _closed, unevaluatedProperties: _rest, ...open } = own
  return { ...open, properties: joinProperties([own, ...nested]), required: [...required] }
}

function objectsOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter((item): item is JsonObject => isObject(item)) : []
}

function requiredOf(schema: JsonObject | undefined): readonly string[] {
  const required = schema?.required
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []
}

function joinProperties(schemas: readonly JsonObject[]): JsonObject {
  const kinds = new Map<string, Map<string, JsonValue>>()
  for (const { properties } of schemas) {
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const known = kinds.get(name) ?? new Map<string, JsonValue>()
      kinds.set(name, known.set(JSON.stringify(schema), schema ?? {}))
    }
  }
  return Object.fromEntries(
    Array.from(kinds, ([name, known]) => {
      const [first = {}, ...more] = known.values()
      return [name, more.length === 0 ? first : { anyOf: [first, ...more] }]
    }),
  )
}
