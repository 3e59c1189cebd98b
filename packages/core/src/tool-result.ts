import { describeThrown } from './errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { CallToolResult, ContentBlock } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import { textResult } from './result-text.ts'

/**
 * Turn whatever a tool returned into an MCP `CallToolResult`, plain and at most `maxBytes` large.
 *
 * Text becomes a text block, a `CallToolResult` stays, bytes, Blobs and ImageData become image, audio or resource blocks,
 * nothing becomes empty text, other values become `structuredContent` (a list or scalar under `result`) with their JSON as
 * text. A value that cannot be stored becomes an error result that names its path. Never rejects.
 * Source: the tools guide, "Results".
 */
export async function toCallToolResult(value: unknown, maxBytes: number): Promise<CallToolResult> {
  try {
    return limitSize(await convert(value), maxBytes)
  } catch (error) {
    return toErrorResult(error, maxBytes)
  }
}

/**
 * The error result for what a tool threw, at most `maxBytes` large, with what it had given until then. Never rejects.
 */
export async function toErrorResult(error: unknown, maxBytes: number, soFar?: unknown): Promise<CallToolResult> {
  const result = textResult(describeThrown(error), true)
  if (soFar === undefined || soFar === '') return limitSize(result, maxBytes)
  const { content } = await toCallToolResult(soFar, maxBytes)
  const note: ContentBlock = { type: 'text', text: 'What it had given until then, which is not complete:' }
  return limitSize({ ...result, content: [...result.content, note, ...content] }, maxBytes)
}

async function convert(value: unknown): Promise<CallToolResult> {
  if (value === undefined || value === null) return textResult('')
  if (typeof value === 'string') return textResult(value)
  if (value instanceof Blob) return { content: [await blobBlock(value)] }
  if (isImageData(value)) return { content: [await blobBlock(await toPng(value))] }
  const bytes = asBytes(value)
  if (bytes !== undefined) return { content: [bytesBlock(bytes)] }
  if (isCallToolResult(value)) {
    const plain: unknown = toPlainJson(value, 'result')
    if (isCallToolResult(plain)) return { ...plain, content: plain.content.map(knownBlock) }
  }
  const json = toPlainJson(value, 'result')
  return { ...textResult(JSON.stringify(json)), structuredContent: isJsonObject(json) ? json : { result: json } }
}

/** Whether a value is meant as an MCP result, rather than one of the tool's own that has a `content` as well. */
function isCallToolResult(value: unknown): value is CallToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { content }: { content?: unknown } = value
  if (!Array.isArray(content)) return false
  if (content.length === 0) return Object.keys(value).every((key) => RESULT_KEYS.has(key))
  return content.every((block) => isJsonObject(block) && typeof block.type === 'string') && content.some(isContentBlock)
}

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta'])

/** Whether a value is a block of MCP content whose kind and fields are known here: one that can be shown, or sent to a model. */
export function isContentBlock(block: unknown): block is ContentBlock {
  if (!isJsonObject(block)) return false
  const hasText = (from: JsonObject, ...keys: string[]): boolean => keys.every((key) => typeof from[key] === 'string')
  switch (block.type) {
    case 'text':
      return hasText(block, 'text')
    case 'image':
    case 'audio':
      return hasText(block, 'data', 'mimeType')
    case 'resource':
      return isJsonObject(block.resource) && hasText(block.resource, 'uri')
    case 'resource_link':
      return hasText(block, 'uri', 'name')
    default:
      return false
  }
}

/** A block that whoever reads the result can rely on. MCP grows, and servers err: the rest becomes a note. */
function knownBlock(block: { readonly type: string }): ContentBlock {
  // Typed as a known block, but it is what a tool or a server put there.
  if (isContentBlock(block)) return block
  return { type: 'text', text: `[A block of type "${block.type}", which cannot be shown here, was left out.]` }
}

/** The bytes that a value is; `undefined` for a list of larger numbers, which means its numbers. */
function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  const isBytes = value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView
  return isBytes ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined
}

/** By its tag: the class is missing outside of browsers, and a frame has one of its own. */
function isImageData(value: unknown): value is ImageData {
  return Object.prototype.toString.call(value) === '[object ImageData]'
}

async function toPng(image: ImageData): Promise<Blob> {
  if (typeof OffscreenCanvas === 'undefined')
    throw new TypeError('ImageData cannot be made a picture here: there is no OffscreenCanvas. Return a Blob instead.')
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d')?.putImageData(image, 0, 0)
  return canvas.convertToBlob({ type: 'image/png' })
}

async function blobBlock(blob: Blob): Promise<ContentBlock> {
  const name = blob instanceof File ? blob.name : ''
  return bytesBlock(new Uint8Array(await blob.arrayBuffer()), blob.type, name)
}

function bytesBlock(bytes: Uint8Array, mimeType = '', name = ''): ContentBlock {
  const data = toBase64(bytes)
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  const uri = name === '' ? 'data:' : `file:///${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, mimeType: mimeType || 'application/octet-stream', blob: data } }
}

/** Bytes as base64. In pieces: spreading a large array into one call overflows the stack. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  }
  return btoa(binary)
}

/** Room for the note that tells of a cut. */
const NOTE_BYTES = 160

/** The result within its limit, measured as it is stored. What the model reads goes before its structured copy. */
function limitSize(result: CallToolResult, maxBytes: number): CallToolResult {
  // No character takes more than three bytes, so most results need not be encoded.
  if (JSON.stringify(result).length * 3 <= maxBytes) return result
  const total = sizeOf(result)
  if (total <= maxBytes) return result
  const { content, structuredContent, ...rest } = result
  const isFrameSmall = sizeOf({ ...rest, content: [] }) <= maxBytes / 2
  const frame = isFrameSmall ? rest : { ...(result.isError !== undefined && { isError: result.isError }) }
  const room = maxBytes - sizeOf({ ...frame, content: [] }) - NOTE_BYTES
  const kept = cutContent(content, room)
  const missing = content.length - kept.length
  const isWhole = missing === 0 && kept.every((block, index) => block === content[index])
  const what =
    missing > 0 ? `${missing} blocks left out; ` : isWhole && structuredContent ? 'structuredContent left out; ' : ''
  const note = `[Cut: ${what}the whole result is ${total} bytes, the limit ${maxBytes}.]`
  return { ...frame, content: [...kept, { type: 'text', text: note }] }
}

function cutContent(content: readonly ContentBlock[], room: number): ContentBlock[] {
  const kept: ContentBlock[] = []
  let left = room
  for (const block of content) {
    const cut = cutBlock(block, left - 1)
    if (cut === undefined) break
    kept.push(cut)
    left -= sizeOf(cut) + 1
  }
  return kept
}

/** A block as far as it fits; `undefined` if nothing of it does. */
function cutBlock(block: ContentBlock, room: number): ContentBlock | undefined {
  const size = sizeOf(block)
  if (size <= room) return block
  const left: ContentBlock = { type: 'text', text: `[${block.type} of ${size} bytes left out]` }
  if (block.type !== 'text') return sizeOf(left) <= room ? left : undefined
  const text = cutText(block.text, room - sizeOf({ type: 'text', text: '' }))
  return text === '' ? undefined : { type: 'text', text }
}

/** The longest beginning of a text that fits as JSON, cut between characters. */
function cutText(text: string, room: number): string {
  let length = 0
  for (let high = Math.min(text.length, Math.max(0, room)); length < high; ) {
    const middle = Math.ceil((length + high) / 2)
    if (sizeOf(text.slice(0, middle)) - 2 <= room) length = middle
    else high = middle - 1
  }
  const isInsidePair = /[\ud800-\udbff]$/.test(text.slice(0, length))
  return text.slice(0, isInsidePair ? length - 1 : length)
}

/** In bytes of JSON. */
function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** A progress update as plain data; one that cannot be shown is described instead. */
export function toProgressUpdate(update: unknown): JsonValue {
  try {
    return toPlainJson(update, 'progress')
  } catch (error) {
    return describeThrown(error)
  }
}
