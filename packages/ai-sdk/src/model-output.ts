import type { CallToolResult, ContentBlock, JsonValue } from '@turnloop/core'
import { toBase64 } from './base64.ts'
import { RAW_OUTPUT } from './raw-output.ts'

/** What `toModelOutput` of an AI SDK tool returns, of any version, as far as it is read here. */
type ModelOutput = Readonly<Record<string, unknown>>

/**
 * What a tool's `toModelOutput` returned, as the result that the model reads.
 *
 * What the tool itself returned goes along unseen, for the page. Pieces that only a provider understands, such as the id of
 * an uploaded file, become a note.
 */
export function fromModelOutput(output: unknown, raw: unknown): CallToolResult {
  // Looked at key by key: it comes from the caller's function.
  const given = (output ?? {}) as ModelOutput
  const isError = ERRORS.has(String(given.type))
  return {
    content: toBlocks(given),
    ...(isError && { isError }),
    // Made plain, or refused with its path, where the loop takes the result.
    ...(raw !== undefined && { _meta: { [RAW_OUTPUT]: raw as JsonValue } }),
  }
}

const ERRORS: ReadonlySet<string> = new Set(['error-text', 'error-json', 'execution-denied'])

function toBlocks({ type, value, reason }: ModelOutput): ContentBlock[] {
  if (type === 'content' && Array.isArray(value)) return value.map(toBlock)
  if (type === 'execution-denied') return [textBlock(typeof reason === 'string' ? reason : 'The call was not allowed.')]
  return [textBlock(typeof value === 'string' ? value : JSON.stringify(value ?? null))]
}

/** A piece of content: text, or a file in one of the forms that have been in use. */
function toBlock(item: ModelOutput): ContentBlock {
  if (typeof item.text === 'string') return textBlock(item.text)
  const file = fileOf(item)
  const mimeType = typeof item.mediaType === 'string' ? item.mediaType : ''
  if (file === undefined) return textBlock(`[A part of type "${String(item.type)}", which cannot be shown here.]`)
  if ('text' in file) return textBlock(file.text)
  if ('url' in file)
    return { type: 'resource_link', uri: file.url, name: nameOf(item, file.url), ...(mimeType && { mimeType }) }
  const kind = mimeType.split('/')[0] || String(item.type).split('-')[0]
  if (kind === 'image')
    return { type: 'image', data: file.base64, mimeType: mimeType.includes('/') ? mimeType : 'image/png' }
  if (kind === 'audio') return { type: 'audio', data: file.base64, mimeType }
  const uri = `file:///${encodeURIComponent(nameOf(item, 'file'))}`
  return { type: 'resource', resource: { uri, mimeType: mimeType || 'application/octet-stream', blob: file.base64 } }
}

function fileOf(item: ModelOutput): { base64: string } | { url: string } | { text: string } | undefined {
  if (typeof item.url === 'string') return { url: item.url }
  const { data } = item
  const bytes = base64Of(data)
  if (bytes !== undefined) return { base64: bytes }
  if (typeof data !== 'object' || data === null) return undefined
  // The tagged form of AI SDK 7: { type: 'data' | 'url' | 'text' | 'reference', … }.
  const tagged = data as ModelOutput
  if (tagged.type === 'url') return { url: String(tagged.url) }
  if (typeof tagged.text === 'string') return { text: tagged.text }
  const inner = base64Of(tagged.data)
  return inner === undefined ? undefined : { base64: inner }
}

function base64Of(data: unknown): string | undefined {
  if (typeof data === 'string') return data
  if (data instanceof Uint8Array) return toBase64(data)
  return data instanceof ArrayBuffer ? toBase64(new Uint8Array(data)) : undefined
}

function nameOf({ filename }: ModelOutput, otherwise: string): string {
  return typeof filename === 'string' ? filename : otherwise
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}
