import type { Message, UserPart } from '@turnloop/core'
import { attachedFile, splitInput } from '../attachments/attached-parts.ts'
import { type ImageHeader, readImageHeader } from '../attachments/image-header.ts'
import { readTextAttachment } from '../attachments/text-attachment.ts'

/** A file that came with a question, as far as rules can look into it. */
export interface SeenFile {
  readonly name: string
  readonly kind: 'image' | 'text' | 'other'
  /** What it is and how large, in words. */
  readonly detail: string
  /** Of an image whose bytes are there. */
  readonly image?: ImageHeader
  readonly text?: string
}

/** What is asked about files. */
export type FileWish = { readonly ask: 'look' | 'count' } | { readonly ask: 'lines'; readonly count: number }

/** The files that came with a message, in order. */
export function filesOf(message: Message | undefined): SeenFile[] {
  return message?.role === 'user' ? splitInput(message.content).files.map(toSeen) : []
}

/** The files of earlier questions, the newest first. */
export function earlierFiles(earlier: readonly Message[]): SeenFile[] {
  return earlier.flatMap((message) => filesOf(message)).reverse()
}

/** What a question asks about the files that came with it; `undefined` where it is about something else. */
export function readFileWish(question: string, files: readonly SeenFile[]): FileWish | undefined {
  if (question.trim() === '') return { ask: 'look' }
  if (COUNT.test(question)) return { ask: 'count' }
  const [, many, few] = LINES.exec(question) ?? []
  if (many !== undefined || few !== undefined)
    return { ask: 'lines', count: Number(many ?? USUAL_LINES) || USUAL_LINES }
  return LOOK.test(question) || POINT.test(question) || namesOneOf(question, files) ? { ask: 'look' } : undefined
}

/** The same for files of earlier questions: only what leaves no doubt. */
export function readLaterFileWish(question: string, files: readonly SeenFile[]): FileWish | undefined {
  if (files.length === 0) return undefined
  const isAboutFile = /\b(attached|attachment|image|picture|photo|screenshot|document|pdf|text file)\b/i.test(question)
  const isMeant = isAboutFile || namesOneOf(question, files)
  return isMeant ? readFileWish(question, files) : undefined
}

/** The files that a question names; all of them where it names none. */
export function meantFiles(question: string, files: readonly SeenFile[]): readonly SeenFile[] {
  const named = files.filter(({ name }) => question.toLowerCase().includes(name.toLowerCase()))
  return named.length > 0 ? named : files
}

const USUAL_LINES = 5
const COUNT =
  /\b(?:how (?:many|long)|count|number of)\b.*\b(?:words?|lines?|characters?|letters?|is (?:it|this|that))\b/i
const LINES = /\bfirst (?:(\d{1,3}) |(few |some |)?)lines?\b/i
const LOOK = /\b(?:attached|attachments?|images?|pictures?|photos?|screenshots?|files?|documents?|pdfs?)\b/i

/** "Summarise it", "what is this?" */
const POINT =
  /^(?:please )?(?:what(?:'s| is)(?: in)?|describe|summari[sz]e|explain|read|show|look at|tell me about) (?:this|it|that|these|them)\b/i

function namesOneOf(question: string, files: readonly SeenFile[]): boolean {
  return files.some(({ name }) => question.toLowerCase().includes(name.toLowerCase()))
}

function toSeen(part: UserPart): SeenFile {
  const { name, kind, detail } = attachedFile(part)
  const image = part.type === 'file' && 'base64' in part.data ? imageOf(part.data.base64) : undefined
  const text = readTextAttachment(part)?.text
  return { name, kind, detail, ...(image !== undefined && { image }), ...(text !== undefined && { text }) }
}

/** Enough for the size of a photo, which may stand behind a small picture of itself. A multiple of four. */
const LOOKED_AT = 400_000

function imageOf(base64: string): ImageHeader | undefined {
  try {
    return readImageHeader(Uint8Array.from(atob(base64.slice(0, LOOKED_AT)), (letter) => letter.charCodeAt(0)))
  } catch {
    return undefined
  }
}
