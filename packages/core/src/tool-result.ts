import { describeThrown } from './errors.ts'
import { isJsonObject, type JsonValue } from './json.ts'
import type { CallToolResult, ContentBlock } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import { textResult } from './result-text.ts'

/**
 * Turn whatever a tool returned into an MCP `CallToolResult`, plain and at most `maxBytes` large.
 *
 * Text becomes a text block, a `CallToolResult` stays, bytes and Blobs become image, audio or resource blocks, nothing
 * becomes empty text, other values become `structuredContent` (a list or scalar under `result`) with their JSON as
 * text. A value that cannot be stored becomes an error result that names its path. Never rejects.
 * Source: the tools guide, "Results".
 */
export async function toCallToolResult(value: unknown, maxBytes: number): Promise<CallToolResult> {
  try {
    return limitSize(await convert(value), maxBytes)
  } catch (error) {
    return textResult(describeThrown(error), true)
  }
}

/** The error result for what a tool threw. */
export function toErrorResult(error: unknown): CallToolResult {
  return textResult(describeThrown(error), true)
}

async function convert(value: unknown): Promise<CallToolResult> {
  if (value === undefined || value === null) return textResult('')
  if (typeof value === 'string') return textResult(value)
  if (value instanceof Blob) return { content: [await blobBlock(value)] }
  if (value instanceof ArrayBuffer) return { content: [bytesBlock(new Uint8Array(value), '')] }
  if (ArrayBuffer.isView(value)) {
    return { content: [bytesBlock(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), '')] }
  }
  if (isCallToolResult(value)) {
    const plain = toPlainJson(value, 'result')
    if (isCallToolResult(plain)) return plain
  }
  const json = toPlainJson(value, 'result')
  return { ...textResult(JSON.stringify(json)), structuredContent: isJsonObject(json) ? json : { result: json } }
}

function isCallToolResult(value: unknown): value is CallToolResult {
  if (typeof value !== 'object' || value === null) return false
  // Narrowed to an object above; only `content` is looked at.
  const { content } = value as { content?: unknown }
  return Array.isArray(content) && content.every((block) => isJsonObject(block) && typeof block.type === 'string')
}

async function blobBlock(blob: Blob): Promise<ContentBlock> {
  return bytesBlock(new Uint8Array(await blob.arrayBuffer()), blob.type)
}

function bytesBlock(bytes: Uint8Array, mimeType: string): ContentBlock {
  const data = toBase64(bytes)
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  const known = mimeType === '' ? 'application/octet-stream' : mimeType
  return { type: 'resource', resource: { uri: 'data:', mimeType: known, blob: data } }
}

/** Base64 in pieces: spreading a large array into one call overflows the stack. */
function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  }
  return btoa(binary)
}

function limitSize(result: CallToolResult, maxBytes: number): CallToolResult {
  const total = byteLength(JSON.stringify(result))
  if (total <= maxBytes) return result
  const content: ContentBlock[] = []
  let left = maxBytes
  for (const block of result.content) {
    const cut = cutBlock(block, left)
    content.push(cut)
    left = Math.max(0, left - byteLength(JSON.stringify(cut)))
  }
  content.push({ type: 'text', text: `[Cut: the whole result is ${total} bytes, the limit ${maxBytes}.]` })
  const { structuredContent: _tooLarge, ...rest } = result
  return { ...rest, content }
}

function cutBlock(block: ContentBlock, maxBytes: number): ContentBlock {
  if (block.type === 'text') return { ...block, text: cutText(block.text, maxBytes) }
  const size = byteLength(JSON.stringify(block))
  return size <= maxBytes ? block : { type: 'text', text: `[${block.type} of ${size} bytes left out]` }
}

/** The longest beginning of a text that fits, cut between characters. */
function cutText(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  const target = new Uint8Array(maxBytes)
  const { read } = new TextEncoder().encodeInto(text, target)
  return text.slice(0, read)
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}

/** A progress update as plain data; one that cannot be shown is described instead. */
export function toProgressUpdate(update: unknown): JsonValue {
  try {
    return toPlainJson(update, 'progress')
  } catch (error) {
    return describeThrown(error)
  }
}
