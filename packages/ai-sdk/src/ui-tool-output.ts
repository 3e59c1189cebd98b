import type { CallToolResult, JsonObject, JsonValue } from '@turnloop/core'
import { resultText } from '@turnloop/core'
import { RAW_OUTPUT } from './raw-output.ts'

/**
 * What a page shows of a tool's result: what the tool returned, as far as it can still be told.
 *
 * A value for structured content, text for text; a result with pictures, links or resources as it is.
 */
export function outputOf(result: CallToolResult): unknown {
  const { content, structuredContent, _meta } = result
  if (_meta?.[RAW_OUTPUT] !== undefined) return _meta[RAW_OUTPUT]
  if (structuredContent !== undefined) return unwrap(structuredContent, resultText(result))
  return content.every(({ type }) => type === 'text') ? resultText(result) : result
}

/** A list or a single value is kept under `result`, and its text is that of the bare value. */
function unwrap(structured: JsonObject, text: string): JsonValue {
  const { result, ...others } = structured
  if (result === undefined || Object.keys(others).length > 0) return structured
  return text === JSON.stringify(result) ? result : structured
}

/** The result that a value shown in a page came from, or would have: the way back from `outputOf`. */
export function resultOf(output: unknown): CallToolResult {
  if (output === undefined || output === null) return { content: [{ type: 'text', text: '' }] }
  if (typeof output === 'string') return { content: [{ type: 'text', text: output }] }
  if (isResult(output)) return output
  // What a UI message holds is JSON.
  const json = output as JsonValue
  const structuredContent = isObject(json) ? json : { result: json }
  return { content: [{ type: 'text', text: JSON.stringify(json) }], structuredContent }
}

/** The result of a call that failed with this text. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function isResult(output: unknown): output is CallToolResult {
  if (typeof output !== 'object' || output === null || !('content' in output)) return false
  const { content } = output
  return Array.isArray(content) && content.length > 0 && content.every((block) => isObject(block) && 'type' in block)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
