import { type JsonObject, type Schema, type Tool, type ToolContext, tool } from '@turnloop/core'
import { LONGEST_DELAY_MS } from './longest-delay.ts'
import type { ToolDescriptor } from './protocol.ts'
import type { WorkerPool } from './worker-pool.ts'

/** The tools of a pool's workers as the loop runs them; `timeoutMs` is for those that bring no limit of their own. */
export async function pageTools(
  descriptors: readonly ToolDescriptor[],
  pool: WorkerPool,
  timeoutMs: number | undefined,
): Promise<readonly Tool[]> {
  // Loaded here, since it is as large as all the rest and not needed before the first call.
  const { jsonSchema } = await import('@turnloop/core/json-schema')
  return descriptors.map(({ isHostAnswered, ...described }) => {
    const limit = described.timeoutMs ?? timeoutMs
    const descriptor = limit === undefined ? described : { ...described, timeoutMs: limit }
    return tool({
      ...descriptor,
      source: 'worker',
      // The loop would count from the call; the pool counts from the start.
      ...(limit !== undefined && { timeoutMs: LONGEST_DELAY_MS }),
      input: withoutFields(lenient(jsonSchema(descriptor.inputSchema)), descriptor.askUser),
      ...(!isHostAnswered && {
        execute: (input: JsonObject, context: ToolContext) => pool.run(descriptor, input, context),
      }),
    })
  })
}

/** The described schema does not know what a person fills in: that is for the worker to check. */
function withoutFields(schema: Schema<JsonObject>, fields: readonly string[] | undefined): Schema<JsonObject> {
  if (fields === undefined) return schema
  const standard = schema['~standard']
  const validate = async (value: unknown): Promise<StandardResult> => {
    const isTheirs = ([key]: [string, unknown]): boolean => fields.includes(key)
    // Arguments are an object before they come to a tool's check.
    const entries = Object.entries(value as JsonObject)
    const checked = await standard.validate(Object.fromEntries(entries.filter((entry) => !isTheirs(entry))))
    if (checked.issues) return checked
    // What it was given was an object, and a JSON Schema changes nothing.
    return { value: { ...(checked.value as JsonObject), ...Object.fromEntries(entries.filter(isTheirs)) } }
  }
  return { '~standard': { ...standard, validate } }
}

type StandardResult = Awaited<ReturnType<Schema<JsonObject>['~standard']['validate']>>

/** A schema that the page's validator cannot read, such as a pattern only lax RegExp takes, is left to the worker. */
function lenient(schema: Schema<JsonObject>): Schema<JsonObject> {
  const standard = schema['~standard']
  const validate = (value: unknown): ReturnType<typeof standard.validate> => {
    try {
      return standard.validate(value)
    } catch {
      // Arguments are an object before they come to a tool's check.
      return { value: value as JsonObject }
    }
  }
  return { '~standard': { ...standard, validate } }
}
