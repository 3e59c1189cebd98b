import type { ModelEvent } from '@turnloop/core'
import { randomId } from '../../app/random-id.ts'
import { createTextReader } from './json-text.ts'

/** What a reply turned out to be, and the events of each piece of it. */
export interface ReplyPart {
  readonly isCall: boolean
  readonly begin: readonly ModelEvent[]
  read(piece: string): ModelEvent[]
  end(): ModelEvent[]
}

const ID = 'reply'

/** A JSON string: its text is the answer, and what follows its closing quote is nobody's. */
export function quotedPart(): ReplyPart {
  const reader = createTextReader()
  return textPart(
    (piece) => reader.read(piece),
    () => '',
  )
}

/** The answer as it stands; `closing` is what is not part of it at its end. */
export function rawPart(closing = ''): ReplyPart {
  const tail = createTail(closing)
  return textPart(tail.read, tail.end)
}

/** A call: its arguments as they stand, up to the brace that closes the object around them. */
export function callPart(toolName: string): ReplyPart {
  const id = `call-${randomId()}`
  const tail = createTail('}')
  let inputText = ''
  const deltas = (delta: string): ModelEvent[] => {
    inputText += delta
    return delta === '' ? [] : [{ type: 'tool-input-delta', id, delta }]
  }
  return {
    isCall: true,
    begin: [{ type: 'tool-input-start', id, toolName }],
    read: (piece) => deltas(tail.read(piece)),
    end: () => [
      ...deltas(tail.end()),
      { type: 'tool-input-end', id },
      { type: 'tool-call', id, toolName, inputText: inputText.trim() },
    ],
  }
}

function textPart(read: (piece: string) => string, end: () => string): ReplyPart {
  const deltas = (delta: string): ModelEvent[] => (delta === '' ? [] : [{ type: 'text-delta', id: ID, delta }])
  return {
    isCall: false,
    begin: [{ type: 'text-start', id: ID }],
    read: (piece) => deltas(read(piece)),
    end: () => [...deltas(end()), { type: 'text-end', id: ID }],
  }
}

/** Holds back what may turn out to be the closing of the object around, until something follows it. */
function createTail(closing: string): { read(piece: string): string; end(): string } {
  if (closing === '') return { read: (piece) => piece, end: () => '' }
  let held = ''
  return {
    read(piece) {
      const text = held + piece
      held = /[\s}]*$/.exec(text)?.[0] ?? ''
      return text.slice(0, text.length - held.length)
    },
    end: () => held.trimEnd().replace(/\}$/, '').trimEnd(),
  }
}
