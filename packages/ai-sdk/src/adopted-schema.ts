import { type AnySchema, type JsonObject, TurnloopError } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'

/** A schema as `jsonSchema()` and `zodSchema()` of `ai` make it, as far as it is read here. */
interface AiSdkSchema {
  readonly jsonSchema: JsonObject | PromiseLike<unknown>
  readonly validate?: ((value: unknown) => Validation | PromiseLike<Validation>) | undefined
}

type Validation =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error }

/**
 * The schema of an AI SDK tool as the loop takes it.
 *
 * A schema library's own is handed on. One made by `jsonSchema()` keeps its `validate`; without one, values are checked
 * against the JSON Schema, which the AI SDK would not do. Throws `bad-option` for what is no schema, and for a JSON Schema
 * that is still a promise.
 */
export function adoptSchema(schema: unknown, where: string): AnySchema {
  // Checked to carry the marker of Standard Schema; core says so where it lacks a JSON Schema.
  if (hasKey(schema, '~standard')) return schema as AnySchema
  // Checked to carry a JSON Schema, which nothing but a schema of `ai` has at its top.
  if (hasKey(schema, 'jsonSchema')) return fromAiSchema(schema as unknown as AiSdkSchema, where)
  if (typeof schema === 'function') return adoptSchema(schema(), where)
  throw new TurnloopError('bad-option', `${where}: expected a schema of zod, jsonSchema(…) or the like.`)
}

function fromAiSchema({ jsonSchema: json, validate }: AiSdkSchema, where: string): AnySchema {
  if (isPromise(json)) {
    throw new TurnloopError(
      'bad-option',
      `${where}: its JSON Schema is still a promise. Wait for it first: jsonSchema(await schema).`,
    )
  }
  if (validate === undefined) return jsonSchema(json)
  const convert = (): Record<string, unknown> => ({ ...json })
  return {
    '~standard': {
      version: 1,
      vendor: 'ai',
      jsonSchema: { input: convert, output: convert },
      validate: async (value) => {
        const result = await validate(value)
        return result.success ? { value: result.value } : { issues: [{ message: result.error.message }] }
      },
    },
  }
}

function isPromise(value: JsonObject | PromiseLike<unknown>): value is PromiseLike<unknown> {
  return typeof value.then === 'function'
}

function hasKey(value: unknown, key: string): value is object {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && key in value
}
