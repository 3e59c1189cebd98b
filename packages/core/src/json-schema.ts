import { type Schema as CfSchema, type OutputUnit, Validator } from '@cfworker/json-schema'
import type { JsonObject } from './json.ts'
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
        validator ??= new Validator(schema as CfSchema, draftOf(schema), false)
        const { valid, errors } = validator.validate(value)
        return valid ? { value: value as Output } : { issues: innermost(errors).map(toIssue) }
      },
    },
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
