import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { describeThrown, TurnloopError } from './errors.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/**
 * A schema that can check a value and describe itself as JSON Schema: zod 4.2 and later, arktype, valibot through
 * `toStandardJsonSchema`, or `jsonSchema(…)` from `@turnloop/core/json-schema`. Source: Standard Schema 1.1.
 */
export interface Schema<Output = unknown> {
  readonly '~standard': StandardSchemaV1.Props<unknown, Output> & StandardJSONSchemaV1.Props<unknown, Output>
}

/** The value a schema hands to the tool. */
export type SchemaOutput<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown

/** Anything with the shape of a schema, whatever its input type. */
export type AnySchema = StandardSchemaV1 & StandardJSONSchemaV1

/** What checking a value gave: the value as the schema wants it, or what is wrong with it, one line per problem. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: string[] }

/** Check a value. A schema that throws counts as a refusal: it never escapes. */
export async function checkValue(schema: StandardSchemaV1, value: unknown): Promise<Checked> {
  try {
    const result = await schema['~standard'].validate(value)
    if (!result.issues) return { ok: true, value: result.value }
    return { ok: false, problems: result.issues.map(describeIssue) }
  } catch (error) {
    return { ok: false, problems: [describeThrown(error)] }
  }
}

/**
 * The JSON Schema that a model is shown for a schema, of its input side: what the model has to write, named by `what`.
 *
 * Throws `bad-option` naming `where` for a value that is no schema, cannot be expressed, or is not an object at its top.
 */
export function toJsonSchema(schema: unknown, where: string, what = 'the arguments of a tool'): JsonObject {
  const standard = isObjectLike(schema) ? schema['~standard'] : undefined
  if (!isObjectLike(standard)) throw new TurnloopError('bad-option', notASchema(schema, where))
  // Only its one method is used, and that is looked at next.
  const converter = standard.jsonSchema as StandardJSONSchemaV1.Converter | undefined
  if (typeof converter?.input !== 'function') {
    throw new TurnloopError(
      'bad-option',
      `${where}: this schema (${String(standard.vendor)}) cannot describe itself as JSON Schema. Use zod 4.2 or later, arktype, ` +
        'valibot wrapped in toStandardJsonSchema from @valibot/to-json-schema, or jsonSchema(…) from @turnloop/core/json-schema.',
    )
  }
  return requireObjectSchema(convert(converter, where), where, what)
}

function convert(converter: StandardJSONSchemaV1.Converter, where: string): JsonObject {
  try {
    const { $schema: _marker, ...json } = converter.input({ target: 'draft-07' })
    // A JSON Schema is JSON; the standard types it with less.
    return json as JsonObject
  } catch (cause) {
    throw new TurnloopError('bad-option', `${where}: this schema has a part that JSON Schema cannot express.`, {
      cause,
    })
  }
}

function requireObjectSchema(json: JsonObject, where: string, what: string): JsonObject {
  const isObject = json.type === 'object' || '$ref' in json || 'anyOf' in json || 'oneOf' in json || 'allOf' in json
  if (isObject) return json
  throw new TurnloopError(
    'bad-option',
    `${where}: ${what} must be an object, not ${JSON.stringify(json.type ?? 'anything')}. Wrap the value in an object.`,
  )
}

function notASchema(value: unknown, where: string): string {
  const looksLikeJsonSchema = isJsonObject(value) && ('type' in value || 'properties' in value)
  if (!looksLikeJsonSchema) return `${where}: expected a schema, got ${value === null ? 'null' : typeof value}.`
  return `${where}: a bare JSON Schema object cannot check values. Wrap it: jsonSchema(…) from @turnloop/core/json-schema.`
}

function describeIssue(issue: StandardSchemaV1.Issue): string {
  const path = issue.path?.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return path ? `${path}: ${issue.message}` : issue.message
}

function isObjectLike(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
