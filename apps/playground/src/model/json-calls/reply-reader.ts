import type { ModelEvent, StopReason, Usage } from '@turnloop/core'
import { callPart, quotedPart, type ReplyPart, rawPart } from './reply-parts.ts'

/** Turns what a model writes into the events of a reply, piece by piece. */
export interface ReplyReader {
  read(piece: string): ModelEvent[]
  /** Close what is open and finish. */
  end(stop: ReplyEnd): ModelEvent[]
}

/** Why the model stopped, in our words and in its own, and what it counted. */
export interface ReplyEnd {
  readonly stopReason: StopReason
  readonly rawStopReason?: string
  readonly usage?: Usage
}

interface Chosen {
  readonly part: ReplyPart
  readonly rest: string
}

const CALL = /^\s*\{\s*"tool"\s*:\s*"([^"\\]*)"\s*,\s*"input"\s*:\s*(?=\S)/
const ANSWER = /^\s*\{\s*"answer"\s*:\s*(?=\S)/
const NO_OBJECT = /^\s*[^\s{]/

/** Every reply is text. */
export function textReplyReader(): ReplyReader {
  return createReader((begun) => ({ part: rawPart(), rest: begun }))
}

/**
 * Read a reply in the form of `replySchema`: a call, or an answer, which streams as it is written.
 *
 * A model that keeps to no form is understood as far as it can be: what is neither is an answer.
 */
export function jsonReplyReader(): ReplyReader {
  return createReader(chooseByStart)
}

function chooseByStart(begun: string): Chosen | undefined {
  const call = CALL.exec(begun)
  if (call !== null) return { part: callPart(call[1] ?? ''), rest: begun.slice(call[0].length) }
  const answer = ANSWER.exec(begun)
  if (answer === null) return NO_OBJECT.test(begun) ? { part: rawPart(), rest: begun } : undefined
  const rest = begun.slice(answer[0].length)
  return rest.startsWith('"') ? { part: quotedPart(), rest: rest.slice(1) } : { part: rawPart('}'), rest }
}

function createReader(choose: (begun: string) => Chosen | undefined): ReplyReader {
  let part: ReplyPart | undefined
  let begun = ''
  const begin = (chosen: Chosen | undefined): ModelEvent[] => {
    if (chosen === undefined) return []
    part = chosen.part
    return [...part.begin, ...part.read(chosen.rest)]
  }
  return {
    read(piece) {
      if (part !== undefined) return part.read(piece)
      begun += piece
      return begun === '' ? [] : begin(choose(begun))
    },
    end({ stopReason, ...rest }) {
      const late =
        part === undefined && begun !== '' ? begin(choose(inOrder(begun)) ?? { part: rawPart(), rest: begun }) : []
      const isCall = part?.isCall === true && stopReason === 'endTurn'
      return [...late, ...(part?.end() ?? []), { type: 'finish', stopReason: isCall ? 'toolUse' : stopReason, ...rest }]
    },
  }
}

/** The same object with its members in the order in which they are read. */
function inOrder(reply: string): string {
  try {
    const { tool, input = {}, answer }: Readonly<Record<string, unknown>> = JSON.parse(reply)
    if (typeof tool === 'string') return JSON.stringify({ tool, input })
    return answer === undefined ? reply : JSON.stringify({ answer })
  } catch {
    return reply
  }
}
