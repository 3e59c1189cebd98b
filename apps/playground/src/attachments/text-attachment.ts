import type { UserPart } from '@turnloop/core'

/** A part of a question that is text. */
export type TextPart = Extract<UserPart, { type: 'text' }>

/** A text that was attached to a question, as it is sent: what it is stands beside it. */
export interface TextAttachment {
  readonly name: string
  readonly mediaType: string
  /** Of the file that it was read from; absent where that is not known. */
  readonly byteLength?: number
  /** How much of the file it is, in words: "12 pages", "the first 8 of 12 pages". */
  readonly holds?: string
  readonly text: string
}

/** Put a text between marks that say what it is, so that no model takes it for words of the person who asks. */
export function textAttachment({ name, mediaType, byteLength, holds, text }: TextAttachment): TextPart {
  const facts = [
    ['name', name],
    ['type', mediaType],
    ...(byteLength === undefined ? [] : [['bytes', String(byteLength)]]),
    ...(holds === undefined ? [] : [['holds', holds]]),
  ]
  const head = facts.map(([key, value = '']) => `${key}="${escapeFact(value)}"`).join(' ')
  return { type: 'text', text: `<attachment ${head}>\n${text.replace(END_MARK, '<\\$1/attachment')}\n</attachment>` }
}

/** The text that a part of a question holds between marks; `undefined` for every other part. */
export function readTextAttachment(part: UserPart): TextAttachment | undefined {
  const [, head = '', body = ''] = (part.type === 'text' && WHOLE.exec(part.text)) || []
  const facts = new Map([...head.matchAll(FACT)].map(([, key = '', value = '']) => [key, unescapeFact(value)]))
  const name = facts.get('name')
  if (name === undefined) return undefined
  const byteLength = Number(facts.get('bytes'))
  const holds = facts.get('holds')
  return {
    name,
    mediaType: facts.get('type') ?? 'text/plain',
    ...(Number.isInteger(byteLength) && { byteLength }),
    ...(holds !== undefined && { holds }),
    text: body.replace(ESCAPED_END_MARK, '<$1/attachment'),
  }
}

const WHOLE = /^<attachment((?: \w+="[^"\n]*")+)>\n([\s\S]*)\n<\/attachment>$/
const FACT = / (\w+)="([^"\n]*)"/g

// A text may hold the mark that ends it: one more backslash, which reading takes away again.
const END_MARK = /<(\\*)\/attachment/g
const ESCAPED_END_MARK = /<\\(\\*)\/attachment/g

function escapeFact(value: string): string {
  return value.replace(/\s+/g, ' ').replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

function unescapeFact(value: string): string {
  return value.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
