import type { FileData, SessionInput, UserMessage, UserPart } from '@turnloop/core'
import { formatBytes } from '../app/format.ts'
import { readTextAttachment } from './text-attachment.ts'

/** What a person wrote, and what they attached to it. */
export interface SplitInput {
  readonly text: string
  readonly files: readonly UserPart[]
}

/** A file that is attached to a question, as people are told of it. */
export interface AttachedFile {
  readonly kind: 'image' | 'text' | 'other'
  readonly name: string
  /** What it is and how large, in a few words: "PDF, 12 pages". */
  readonly detail: string
}

/** Tell the words of a question from what is attached to it. */
export function splitInput(input: SessionInput): SplitInput {
  if (typeof input === 'string') return { text: input, files: [] }
  const isWords = (part: UserPart): boolean => part.type === 'text' && readTextAttachment(part) === undefined
  const words = input.flatMap((part) => (part.type === 'text' && isWords(part) ? [part.text] : []))
  return { text: words.join('\n'), files: input.filter((part) => !isWords(part)) }
}

/** A question as it is sent: its words, then what is attached. */
export function joinInput({ text, files }: SplitInput): SessionInput {
  if (files.length === 0) return text
  return text === '' ? files : [{ type: 'text', text }, ...files]
}

/** What a question is called: its words, or the names of what was sent without any. */
export function questionName({ content }: Pick<UserMessage, 'content'>): string {
  const { text, files } = splitInput(content)
  return text.trim() === '' ? files.map((file) => attachedFile(file).name).join(', ') : text
}

/** What is attached, for people. */
export function attachedFile(part: UserPart): AttachedFile {
  if (part.type === 'file') {
    const kind = part.mediaType.startsWith('image/') ? 'image' : 'other'
    const size = byteLengthOf(part.data)
    const detail = [typeWord(part.mediaType), size === undefined ? '' : formatBytes(size)].filter(Boolean).join(', ')
    return { kind, name: part.filename ?? (kind === 'image' ? 'Image' : 'File'), detail }
  }
  const text = readTextAttachment(part)
  if (text === undefined) return { kind: 'text', name: 'Text', detail: '' }
  const { name, mediaType, byteLength, holds } = text
  const size = byteLength === undefined ? undefined : formatBytes(byteLength)
  return { kind: 'text', name, detail: [typeWord(mediaType), holds ?? size].filter(Boolean).join(', ') }
}

/** Of the bytes themselves; `undefined` where they are elsewhere. */
function byteLengthOf(data: FileData): number | undefined {
  if ('blob' in data) return data.byteLength
  if ('url' in data) return undefined
  return Math.floor((data.base64.replace(/=+$/, '').length * 3) / 4)
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  'application/pdf': 'PDF',
  'text/plain': 'text',
  'text/markdown': 'Markdown',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
}

function typeWord(mediaType: string): string {
  const ending = mediaType.split('/')[1] ?? mediaType
  return TYPE_WORDS[mediaType] ?? (mediaType.startsWith('image/') ? ending.toUpperCase() : ending)
}
