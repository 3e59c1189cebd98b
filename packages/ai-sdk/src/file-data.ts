import type { SharedV4FileDataData, SharedV4FileDataUrl } from '@ai-sdk/provider'
import { type FileData, type FilePart, TurnloopError } from '@turnloop/core'
import { toBase64 } from './base64.ts'

interface PromptFile {
  type: 'file'
  mediaType: string
  data: SharedV4FileDataData | SharedV4FileDataUrl
  filename?: string
}

/** A file as a v4 prompt has it, without its metadata. Throws `bad-input` for an address that is not absolute. */
export function toFilePart(part: FilePart): PromptFile {
  const { filename, mediaType } = part
  return { type: 'file', mediaType, data: toPromptData(part), ...(filename !== undefined && { filename }) }
}

function toPromptData(part: FilePart): SharedV4FileDataData | SharedV4FileDataUrl {
  const { data } = part
  if ('base64' in data) return { type: 'data', data: data.base64 }
  if ('blob' in data) {
    throw new TurnloopError('internal', `File ${nameOf(part)} reached the model as the stored blob ${data.blob}.`)
  }
  // Providers that fetch addresses themselves cannot fetch these.
  const inline = /^data:[^,]*;base64,(.*)$/s.exec(data.url)?.[1]
  if (inline !== undefined) return { type: 'data', data: inline }
  if (!URL.canParse(data.url)) {
    throw new TurnloopError('bad-input', `File ${nameOf(part)}: "${data.url}" is no absolute URL.`)
  }
  return { type: 'url', url: new URL(data.url) }
}

/** File data as any version's stream has it: tagged in v4, bare in v2 and v3. */
export function fromStreamData(data: string | Uint8Array | SharedV4FileDataData | SharedV4FileDataUrl): FileData {
  if (typeof data === 'string') return { base64: data }
  if (data instanceof Uint8Array) return { base64: toBase64(data) }
  return data.type === 'url' ? { url: String(data.url) } : fromStreamData(data.data)
}

function nameOf(part: FilePart): string {
  return JSON.stringify(part.filename ?? part.mediaType)
}
