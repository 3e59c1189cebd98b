import { isJsonObject, type JsonObject } from './json.ts'
import { toBase64 } from './tool-result.ts'

/** A value that is kept apart from the log: the sha-256 of its bytes, in lower-case hex, and how many they are. */
export interface BlobRef {
  readonly blob: string
  readonly byteLength: number
}

/** Under this name in `_meta`, a tool's result, or a block of it, says where the rest of it is. */
const META = 'turnloop/blob'

/** A value that is larger goes to the blobs of a store. */
const LARGE_BYTES = 65_536

/** How much of a long text stays where it was, to be shown. */
const PREVIEW = 1000

/**
 * What stands apart of a tool's result, or of one block of it; `undefined` where it is all there.
 *
 * A text then holds its beginning only, and media hold no data. `session.readBlob(ref.blob)` gives the bytes.
 */
export function blobOf(value: { readonly _meta?: JsonObject }): BlobRef | undefined {
  const ref = value._meta?.[META]
  return isJsonObject(ref) && isRef(ref) ? ref : undefined
}

/** A file of a message, a block of a tool's result, or such a result: what can be large. */
export type Part = JsonObject

/**
 * The keys under which parts stand; everything else in an entry is small, or not ours to change. What a turn never took
 * stands as `input` in its outcome; elsewhere an input is a tool's own.
 */
const WALKED: ReadonlySet<string> = new Set([
  ...['message', 'rejected', 'content', 'calls', 'results', 'result', 'shows', 'outcome'],
])

/** The name under which what a key holds is walked; `undefined` where it is not. */
function stepInto(name: string, parent: string): string | undefined {
  if (parent === 'content' || parent === 'block') return undefined
  if (parent === 'result') return name === 'content' ? 'block' : undefined
  if (name === 'input') return parent === 'outcome' ? 'content' : undefined
  return WALKED.has(name) ? name : undefined
}

/** Whether what is found under a name can be put apart. Texts that people and models wrote are there to be read. */
function isPart(value: Part, name: string): boolean {
  return name === 'result' || name === 'block' || (name === 'content' && value.type === 'file')
}

/** Everything in a value that could be large, or has been put apart: of messages, entries, and lists of them. */
export function partsOf(value: unknown, name = ''): readonly Part[] {
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(item, name))
  if (!isJsonObject(value)) return []
  const inner = Object.entries(value).flatMap(([key, held]) => {
    const step = stepInto(key, name)
    return step === undefined ? [] : partsOf(held, step)
  })
  return isPart(value, name) ? [...inner, value] : inner
}

/**
 * The value with what `change` makes of its parts, the inner ones first; the same value where it changes none. `original` is
 * the part as it stands in the value.
 */
export function mapParts<T>(value: T, change: (part: Part, original: Part) => Part, name = ''): T {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapParts(item, change, name))
    // Of the same shape: parts stand for parts.
    return items.some((item, index) => item !== value[index]) ? (items as T) : value
  }
  if (!isJsonObject(value)) return value
  const changed = Object.entries(value).flatMap(([key, held]) => {
    const step = stepInto(key, name)
    const next = step === undefined ? held : mapParts(held, change, step)
    return next === held ? [] : [[key, next]]
  })
  const kept = changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
  // As above.
  return (isPart(value, name) ? change(kept, value) : kept) as T
}

/** Whether a part should be put apart. */
export function isLarge(part: Part): boolean {
  const { text = '', media = '' } = contentOf(part)
  return text.length > LARGE_BYTES || media.length * 0.75 > LARGE_BYTES
}

/** The bytes of a large part; `undefined` where they are none, whatever it says. */
export function bytesOf(part: Part): Uint8Array | undefined {
  const { text, media = '' } = contentOf(part)
  if (text !== undefined) return new TextEncoder().encode(text)
  try {
    return fromBase64(media)
  } catch {
    // Whatever it is, it is not ours to judge here.
    return undefined
  }
}

function contentOf(part: Part): { text?: string | undefined; media?: string | undefined } {
  const { type, data, resource, text, structuredContent } = part
  if (type === 'file') return isJsonObject(data) ? { media: asText(data.base64) } : {}
  if (type === 'image' || type === 'audio') return { media: asText(data) }
  if (type === 'resource' && isJsonObject(resource))
    return { text: asText(resource.text), media: asText(resource.blob) }
  if (type === 'text') return { text: asText(text) }
  return structuredContent === undefined ? {} : { text: JSON.stringify(structuredContent) }
}

/** The part with a reference in place of its bytes. */
export function toReference(part: Part, ref: BlobRef): Part {
  const { type, resource } = part
  const data = { ...ref }
  if (type === 'file') return { ...part, data }
  const _meta = { ...(isJsonObject(part._meta) && part._meta), [META]: data }
  if (type === 'image' || type === 'audio') return { ...part, data: '', _meta }
  if (type === 'text') return { ...part, text: asText(part.text)?.slice(0, PREVIEW) ?? '', _meta }
  if (type === 'resource' && isJsonObject(resource)) {
    const left = typeof resource.text === 'string' ? { text: resource.text.slice(0, PREVIEW) } : { blob: '' }
    return { ...part, resource: { ...resource, ...left }, _meta }
  }
  const { structuredContent: _apart, ...rest } = part
  return { ...rest, _meta }
}

/** What a part refers to; `undefined` where it is all there. */
export function referenceOf(part: Part): BlobRef | undefined {
  if (part.type !== 'file') return blobOf(part)
  return isJsonObject(part.data) && isRef(part.data) ? part.data : undefined
}

/** The part with its bytes back in place; what is gone is told in words, so that a model knows. */
export function fromReference(part: Part, bytes: Uint8Array | undefined): Part {
  const { type, resource } = part
  if (type === 'file') return bytes ? { ...part, data: { base64: toBase64(bytes) } } : missing(part)
  const { [META]: _ref, ...meta } = isJsonObject(part._meta) ? part._meta : {}
  const { _meta, ...rest } = part
  const whole = Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
  if (type === 'image' || type === 'audio') return bytes ? { ...whole, data: toBase64(bytes) } : missing(part)
  if (type === 'text') return { ...whole, text: bytes ? textOf(bytes) : `${part.text}… ${lost(part)}` }
  if (type === 'resource' && isJsonObject(resource)) {
    if (bytes === undefined) return missing(part)
    const back = typeof resource.text === 'string' ? { text: textOf(bytes) } : { blob: toBase64(bytes) }
    return { ...whole, resource: { ...resource, ...back } }
  }
  return bytes ? { ...whole, structuredContent: JSON.parse(textOf(bytes)) } : whole
}

function missing(part: Part): Part {
  return { type: 'text', text: lost(part) }
}

function lost(part: Part): string {
  const { filename, mediaType, mimeType, type, resource } = part
  const kind = asText(mediaType) ?? asText(mimeType) ?? (isJsonObject(resource) ? asText(resource.mimeType) : undefined)
  const name = asText(filename) ?? (isJsonObject(resource) ? asText(resource.uri) : undefined)
  const bytes = referenceOf(part)?.byteLength ?? 0
  const facts = [name, kind, `${bytes} bytes`].filter((fact) => fact !== undefined).join(', ')
  return `[${type === 'text' ? 'The rest of this text' : 'A file'} (${facts}) is no longer stored in this browser.]`
}

function isRef(value: JsonObject): value is JsonObject & BlobRef {
  return typeof value.blob === 'string' && typeof value.byteLength === 'number'
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}
