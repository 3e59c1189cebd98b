import type { JsonObject, JsonValue, ModelSettings } from '@turnloop/core'

/**
 * The schema of an answer as providers that hold a model to it want it: no object takes more than it names.
 *
 * `isStrict`: every field has to be there, too. OpenAI refuses any other schema where the model must keep to it.
 */
export function closeSchema(schema: JsonObject): { schema: JsonObject; isStrict: boolean } {
  let isStrict = true
  const close = (value: JsonValue): JsonValue => {
    if (typeof value !== 'object' || value === null) return value
    // What is an object and no list; TypeScript does not see that through a readonly list.
    return Array.isArray(value) ? value.map(close) : closeNode(value as JsonObject)
  }
  const closeNode = (node: JsonObject): JsonObject => {
    const closed: JsonObject = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, value === undefined ? undefined : close(value)]),
    )
    if (![node.type].flat().includes('object')) return closed
    const { additionalProperties = false, properties = {}, required } = node
    const isWhole = Object.keys(Object(properties)).every((key) => Array.isArray(required) && required.includes(key))
    isStrict &&= isWhole && additionalProperties === false
    return node.properties === undefined ? closed : { additionalProperties, ...closed }
  }
  return { schema: closeNode(schema), isStrict }
}

/** Has the packages that ask OpenAI's way for strictness by default not ask for it. */
export const NOT_STRICT: NonNullable<ModelSettings['providerOptions']> = {
  openai: { strictJsonSchema: false },
  azure: { strictJsonSchema: false },
  openaiCompatible: { strictJsonSchema: false },
}
