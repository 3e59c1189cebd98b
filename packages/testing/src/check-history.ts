import { type Message, TurnloopError } from '@turnloop/core'
import { checkContent } from './history-content.ts'
import { checkIds } from './history-ids.ts'
import { checkPairs } from './history-pairs.ts'
import { type HistoryParty, type HistoryRule, REFUSED_BY } from './history-rules.ts'

/** One way in which a history breaks a rule. */
export interface HistoryProblem {
  readonly rule: HistoryRule
  /** Who refuses it. */
  readonly refusedBy: readonly HistoryParty[]
  /** The place of the message at fault. */
  readonly index: number
  /** What is wrong, on what. */
  readonly message: string
}

/** What `checkHistory` found, in the order of the messages. */
export interface HistoryCheck {
  readonly ok: boolean
  readonly problems: readonly HistoryProblem[]
  /** What is lawful and worth knowing: arguments that are no JSON object, which adapters replace on the wire. */
  readonly notes: readonly string[]
}

/** Options of `checkHistory()`. */
export interface CheckHistoryOptions {
  /** The messages are about to be sent, so how they end counts too. Default `false`: any transcript. */
  request?: boolean
}

/**
 * Check a history against the rules that OpenAI Chat, OpenAI Responses, Anthropic and Gemini enforce on a request.
 *
 * One checker for all: what it accepts, an adapter can put on any of the four wires by looking at one message at a time.
 * Lists every problem with its rule, told in `HistoryRule`. Never throws.
 */
export function checkHistory(messages: readonly Message[], options: CheckHistoryOptions = {}): HistoryCheck {
  const request = options.request ?? false
  // Notes are for people, and stand where they were said, also between a call and its result.
  if (!request && messages.some(isNote)) return checkHistory(messages.filter((message) => !isNote(message)))
  const findings = [...checkIds(messages), ...checkPairs(messages), ...checkContent(messages, request)]
  const problems = findings
    .map((finding): HistoryProblem => ({ ...finding, refusedBy: REFUSED_BY[finding.rule] }))
    .sort((a, b) => a.index - b.index)
  return { ok: problems.length === 0, problems, notes: messages.flatMap(notesOn) }
}

/** Throw `internal` with every problem of a history, one per line, unless it has none. */
export function assertHistory(messages: readonly Message[], options: CheckHistoryOptions = {}): void {
  const { ok, problems } = checkHistory(messages, options)
  if (!ok) throw new TurnloopError('internal', `This history would be refused:\n${describeProblems(problems)}`)
}

function isNote(message: Message): boolean {
  return message.role === 'user' && message.synthetic === 'note'
}

function notesOn(message: Message, index: number): string[] {
  if (message.role !== 'assistant') return []
  return message.content.flatMap((part) =>
    part.type === 'tool-call' && !isObjectText(part.inputText)
      ? [`message ${index}: the arguments of ${part.toolName} (${part.callId}) are not a JSON object`]
      : [],
  )
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Problems as text, one per line. */
export function describeProblems(problems: readonly HistoryProblem[]): string {
  return problems.map(({ rule, index, message }) => `- message ${index}: ${message} (${rule})`).join('\n')
}
