import type { JsonObject, ToolResult } from '@turnloop/core'
import { resultText } from '@turnloop/core'
import type { Chunk } from './step-chunks.ts'
import { outputOf } from './ui-tool-output.ts'

/** The chunks for the result of a call. `isRefusal`: a person was asked and said no. */
export function answerChunks(
  { callId: toolCallId, status, result }: ToolResult,
  { metadata, isRefusal }: { metadata: { turnloop: JsonObject } | undefined; isRefusal: boolean },
): Chunk[] {
  if (isRefusal) return [{ type: 'tool-output-denied', toolCallId }]
  const toolMetadata = metadata && { toolMetadata: metadata }
  if (status === 'ok')
    return [{ type: 'tool-output-available', toolCallId, output: outputOf(result) ?? null, ...toolMetadata }]
  return [{ type: 'tool-output-error', toolCallId, errorText: resultText(result), ...toolMetadata }]
}
