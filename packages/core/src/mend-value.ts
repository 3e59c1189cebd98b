import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

interface Mending {
  readonly root: JsonObject
  readonly decodes: boolean
}

/**
 * What a model may have meant by a value, most likely first: with misplaced nulls left out, as it is, and with misplaced
 * text decoded too. Each differs from the others.
 *
 * Misplaced nulls go first, or a schema that coerces would make values of them; text is decoded last, since a schema that
 * takes it as it is means it so. Source: the tools guide, "Arguments".
 */
export function* readings(value: JsonObject, schema: JsonObject): Generator<JsonObject> {
  // Most arguments hold none, and then the schema need not be followed.
  const withoutNulls = holdsNull(value) ? mendValue(value, schema, 'nulls') : value
  yield withoutNulls
  if (withoutNulls !== value) yield value
  const mended = mendValue(value, schema, 'all')
  if (mended !== value) yield mended
}

function holdsNull(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object') return false
  return value === null || Object.values(value).some(holdsNull)
}

/** The value with misplaced nulls left out and, for `all`, misplaced text decoded; the same object where nothing is. */
function mendValue(value: JsonObject, schema: JsonObject, what: 'nulls' | 'all'): JsonObject {
  try {
    const mended = mend(value, schema, { root: schema, decodes: what === 'all' })
    return isJsonObject(mended) ? mended : value
  } catch {
    // A schema or a value too strange to follow is left to the check itself.
    return value
  }
}

function mend(value: JsonValue, schema: JsonValue | undefined, mending: Mending): JsonValue {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string' && !mending.decodes) return value
  const rules = alternatives(schema, mending.root)
  if (typeof value === 'string') return wantContainer(rules) ? decode(value, schema, mending) : value
  const type = Array.isArray(value) ? 'array' : 'object'
  const fitting = rules.filter((rule) => typesOf(rule).length === 0 || typesOf(rule).includes(type))
  const [rule] = fitting
  if (rule === undefined || fitting.length > 1) return value
  return isJsonObject(value) ? mendObject(value, rule, mending) : mendList(value, rule, mending)
}

function mendList(value: readonly JsonValue[], rule: JsonObject, mending: Mending): JsonValue {
  const tuple = [rule.prefixItems, rule.items].find(Array.isArray) ?? []
  const rest = isJsonObject(rule.items) ? rule.items : undefined
  const items = value.map((item, index) => mend(item, tuple[index] ?? rest, mending))
  return items.some((item, index) => item !== value[index]) ? items : value
}

function mendObject(value: JsonObject, rule: JsonObject, mending: Mending): JsonObject {
  const properties = isJsonObject(rule.properties) ? rule.properties : {}
  const required = Array.isArray(rule.required) ? rule.required : []
  const rest = isJsonObject(rule.additionalProperties) ? rule.additionalProperties : undefined
  const mendField = (key: string, inner: JsonValue | undefined): JsonValue | undefined => {
    const isDeclared = Object.hasOwn(properties, key)
    const field = isDeclared ? properties[key] : rest
    if (inner !== null) return inner === undefined ? inner : mend(inner, field, mending)
    const isOptional = isDeclared && !required.includes(key)
    return isOptional && !alternatives(field, mending.root).some(mayBeNull) ? undefined : null
  }
  let changed: Map<string, JsonValue | undefined> | undefined
  for (const key of Object.keys(value)) {
    const mended = mendField(key, value[key])
    if (mended !== value[key]) changed = (changed ?? new Map(Object.entries(value))).set(key, mended)
  }
  return changed === undefined ? value : Object.fromEntries([...changed].filter(([, inner]) => inner !== undefined))
}

function decode(text: string, schema: JsonValue | undefined, mending: Mending): JsonValue {
  try {
    const decoded: unknown = JSON.parse(text)
    if (Array.isArray(decoded) || isJsonObject(decoded)) return mend(decoded, schema, mending)
  } catch {
    // Not JSON after all: the schema's own message about the text is the better one.
  }
  return text
}

function wantContainer(rules: readonly JsonObject[]): boolean {
  return rules.every((rule) => {
    const types = typesOf(rule)
    return types.length > 0 && types.every((type) => type === 'array' || type === 'object' || type === 'null')
  })
}

function mayBeNull(rule: JsonObject): boolean {
  if (Array.isArray(rule.enum)) return rule.enum.includes(null)
  if ('const' in rule) return rule.const === null
  const types = typesOf(rule)
  return types.length === 0 || types.includes('null') || rule.nullable === true
}

function typesOf(rule: JsonObject): readonly JsonValue[] {
  if (Array.isArray(rule.type)) return rule.type
  return typeof rule.type === 'string' ? [rule.type] : []
}

const ANYTHING: JsonObject = {}

/** The rules of which a value has to keep one: the branches of a union, else the schema itself. Never none. */
function alternatives(schema: JsonValue | undefined, root: JsonObject): readonly JsonObject[] {
  const seen = new Set<JsonObject>()
  const flatten = (branch: JsonValue | undefined): JsonObject[] => {
    const rule = follow(branch, root) ?? ANYTHING
    const branches = [rule.anyOf, rule.oneOf].find(Array.isArray)
    if (branches === undefined) return [rule]
    // A union that holds itself adds nothing by that.
    if (seen.has(rule)) return []
    seen.add(rule)
    return branches.flatMap(flatten)
  }
  const rules = flatten(schema)
  return rules.length > 0 ? rules : [ANYTHING]
}

/** A schema with its local reference followed, a few steps at most. */
function follow(schema: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  let current = schema
  for (let step = 0; step < 8; step += 1) {
    if (!isJsonObject(current)) return undefined
    if (typeof current.$ref !== 'string') return current
    const isLocal = current.$ref === '#' || current.$ref.startsWith('#/')
    current = isLocal ? lookUp(root, current.$ref) : undefined
  }
  return undefined
}

/** What a JSON pointer in a URI fragment points at; `#` alone is the root. Source: RFC 6901, section 6. */
function lookUp(root: JsonObject, reference: string): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const raw of reference.split('/').slice(1)) {
    const step = decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return value
}
