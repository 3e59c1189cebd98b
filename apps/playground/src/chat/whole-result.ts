import {
  type BlobRef,
  blobOf,
  type ContentBlock,
  type JsonObject,
  type JsonValue,
  type ToolResult,
} from '@turnloop/core'
import { isObject } from './tool-words.ts'

/** What of a tool's result is stored apart from the log, because it is large. */
export function apartIn({ result }: ToolResult): readonly BlobRef[] {
  return [result, ...result.content].flatMap((part) => blobOf(part) ?? [])
}

/** A result with what is stored apart back in its place. What is not among `found` stays as it is: its beginning, or nothing. */
export function wholeResult(told: ToolResult, found: ReadonlyMap<string, Uint8Array>): ToolResult {
  const bytesOf = (part: { readonly _meta?: JsonObject }): Uint8Array | undefined => {
    const ref = blobOf(part)
    return ref && found.get(ref.blob)
  }
  const content = told.result.content.map((block) => wholeBlock(block, bytesOf(block)))
  const structuredContent = readJson(bytesOf(told.result))
  return {
    ...told,
    result: { ...told.result, content, ...(structuredContent !== undefined && { structuredContent }) },
  }
}

function wholeBlock(block: ContentBlock, bytes: Uint8Array | undefined): ContentBlock {
  if (bytes === undefined) return block
  switch (block.type) {
    case 'text':
      return { ...block, text: decode(bytes) }
    case 'image':
    case 'audio':
      return { ...block, data: encode(bytes) }
    default:
      return block
  }
}

function readJson(bytes: Uint8Array | undefined): JsonObject | undefined {
  const value: JsonValue | undefined = bytes && JSON.parse(decode(bytes))
  return isObject(value) ? value : undefined
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** In pieces: a call takes only so many arguments. */
const PIECE = 8_192

function encode(bytes: Uint8Array): string {
  let letters = ''
  for (let at = 0; at < bytes.length; at += PIECE) letters += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(letters)
}
