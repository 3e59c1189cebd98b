import type { JsonObject, ModelRequest } from '@turnloop/core'
import { plainSchema } from './plain-schema.ts'

/** The tools a request lets its model call. */
export function callableTools({ tools, toolChoice = 'auto' }: ModelRequest): ModelRequest['tools'] {
  if (toolChoice === 'none') return []
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.toolName) : tools
}

/** Whether a model without calls of its own has to answer this request in our JSON: one object, a call or an answer. */
export function asksForCalls(request: ModelRequest): boolean {
  return callableTools(request).length > 0
}

/**
 * The JSON Schema that an answer to a request has to fit; `undefined` where it may be any text.
 *
 * With tools, it is one object: `{ "tool": name, "input": … }`, or `{ "answer": … }` where the request leaves the choice.
 * Without tools it is the form that was asked for.
 */
export function replySchema(request: ModelRequest): JsonObject | undefined {
  const { output, toolChoice = 'auto' } = request
  if (!asksForCalls(request)) return output && plainSchema(output.schema)
  const calls = callableTools(request).map(({ name, inputSchema }) => {
    return closedObject({ tool: { const: name }, input: plainSchema(inputSchema) })
  })
  if (toolChoice !== 'auto') return { anyOf: calls }
  const answer = output === undefined ? { type: 'string' } : plainSchema(output.schema)
  return { anyOf: [...calls, closedObject({ answer })] }
}

function closedObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
