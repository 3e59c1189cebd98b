import { type Schema as CfSchema, type OutputUnit, Validator } from '@cfworker/json-schema'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { plainlyFits } from './plainly-fits.ts'
import type { Schema } from './schema.ts'

/**
 * Make a schema out of a JSON Schema object, checked without `eval`, so that it works under a strict CSP.
 *
 * The type parameter is the caller's claim about what the schema accepts; nothing infers it. Values are checked as they
 * are: no defaults are filled in and nothing is coerced. Draft 2020-12 unless `$schema` names an older one.
 */
export function jsonSchema<Output = JsonObject>(schema: JsonObject): Schema<Output> {
  let validator: Validator | undefined
  const convert = (): Record<string, unknown> => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'turnloop',
      jsonSchema: { input: convert, output: convert },
      validate: (value) => {
        // The caller says what the schema accepts: see the type parameter.
        if (plainlyFits(schema, value)) return { value: value as Output }
        // The validator's own type is narrower than JSON Schema as servers write it.
        validator ??= new Validator(withUsablePatterns(schema) as CfSchema, draftOf(schema), false)
        const { valid, errors } = validator.validate(value)
        // As above.
        return valid ? { value: value as Output } : { issues: innermost(errors).map(toIssue) }
      },
    },
  }
}

/**
 * The schema without patterns that the validator, which compiles them in Unicode mode, would throw on (`[\\w-.]` is one).
 * They are the older, looser dialect: refusing every call for them would cost the whole tool.
 */
function withUsablePatterns(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => withUsablePatterns(item) ?? null)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(
    ([key, inner]) => key !== 'pattern' || typeof inner !== 'string' || compiles(inner),
  )
  return Object.fromEntries(entries.map(([key, inner]) => [key, withUsablePatterns(inner)]))
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

function draftOf(schema: JsonObject): '7' | '2019-09' | '2020-12' {
  const marker = typeof schema.$schema === 'string' ? schema.$schema : ''
  if (marker.includes('draft-07') || marker.includes('draft-06')) return '7'
  return marker.includes('2019-09') ? '2019-09' : '2020-12'
}

/** Keep the errors that name the value at fault, not the "properties did not match" that wrap them. */
function innermost(errors: readonly OutputUnit[]): readonly OutputUnit[] {
  const deep = errors.filter((error) => !WRAPPERS.has(error.keyword))
  return deep.length > 0 ? deep : errors
}

const WRAPPERS: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'additionalProperties',
])

function toIssue(error: OutputUnit): { message: string; path: string[] } {
  return { message: error.error, path: error.instanceLocation.replace(/^#\/?/, '').split('/').filter(Boolean) }
}
