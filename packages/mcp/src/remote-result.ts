import { type CallToolResult, type ContentBlock, isContentBlock, type JsonObject, type JsonValue } from '@turnloop/core'
import { isObject } from './mend-schema.ts'
import { SOURCE_KEY, UNTRUSTED_KEY } from './untrusted.ts'

/** Where a result came from. */
export interface ResultSource {
  readonly server: string
  readonly tool: string
}

/**
 * Whatever a server answered, as a result that the rest can rely on, marked as untrusted.
 *
 * Blocks that are broken, or of a kind that does not exist, become a note; `isError` stays; structured content without a
 * text gets one.
 */
export function readResult(answer: unknown, source: ResultSource): CallToolResult {
  // Plain JSON, as it came from the server.
  const raw = answer as JsonValue | undefined
  if (!isObject(raw)) return textResult(JSON.stringify(raw ?? null), source)
  const { content, structuredContent, isError, _meta, ...rest } = raw
  // Before 2025 a result could be anything under this name.
  if (content === undefined && structuredContent === undefined && 'toolResult' in rest) {
    return textResult(JSON.stringify(rest.toolResult), source)
  }
  const blocks = Array.isArray(content) ? content.map(toBlock) : []
  const structured = isObject(structuredContent) ? structuredContent : { result: structuredContent ?? null }
  const hasStructured = structuredContent !== undefined
  return {
    content:
      blocks.length === 0 && hasStructured ? [{ type: 'text', text: JSON.stringify(structuredContent) }] : blocks,
    ...(hasStructured && { structuredContent: structured }),
    ...(isError === true && { isError: true }),
    _meta: marked(_meta, source),
  }
}

/** The result for an error that the server answered with: its words, so untrusted, too. */
export function errorResult(message: string, source: ResultSource): CallToolResult {
  return { ...textResult(message, source), isError: true }
}

function textResult(text: string, source: ResultSource): CallToolResult {
  return { content: [{ type: 'text', text }], _meta: marked(undefined, source) }
}

/** So much of the server's own `_meta` is kept: a large one could push the mark out of a result that is cut. */
const MOST_META = 4_000

function marked(meta: JsonValue | undefined, { server, tool }: ResultSource): JsonObject {
  const own = isObject(meta) && JSON.stringify(meta).length <= MOST_META ? meta : {}
  return { ...own, [UNTRUSTED_KEY]: true, [SOURCE_KEY]: { server, tool } }
}

function toBlock(block: JsonValue): ContentBlock {
  if (isContentBlock(block)) return block
  const type = isObject(block) && typeof block.type === 'string' ? JSON.stringify(block.type.slice(0, 40)) : 'no type'
  return { type: 'text', text: `[A block of ${type}, which cannot be shown here, was left out.]` }
}
