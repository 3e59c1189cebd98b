import { type CallView, clientCalls, messageText, type Outcome } from '@turnloop/core'
import { formatCount, formatDuration, joinWords, plural } from '../app/format.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { callStateWord } from './tool-words.ts'

/** The word for how a turn ended, as the inspector and the footer show it. */
export function outcomeWord(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return 'completed'
    case 'cancelled':
      return 'stopped'
    case 'awaiting':
      return 'waits for you'
    case 'max-iterations':
      return 'step limit'
    case 'no-progress':
      return outcome.reason === 'budget' ? 'budget used up' : 'no progress'
    case 'context-full':
      return 'conversation full'
    case 'timed-out':
      return outcome.limit === 'turnMs' ? 'time limit' : 'timed out'
    case 'blocked':
      return blockedWord(outcome)
    case 'interrupted':
    case 'failed':
      return outcome.kind
  }
}

type BlockedOutcome = Extract<Outcome, { kind: 'blocked' }>

function blockedWord({ source, phase }: BlockedOutcome): string {
  if (source === 'model' || phase === 'output') return 'withheld'
  return phase === 'input' ? 'held back' : 'blocked'
}

/** What a check did, for people: in a few words, and what follows from it. */
export interface BlockedText {
  readonly title: string
  /** Why, in the check's own words, and what became of what it stopped. */
  readonly text: string
}

/** A turn that a check, or the model's provider, ended. */
export function blockedText({ source, phase, hook, message = '' }: BlockedOutcome): BlockedText {
  if (source === 'model') return { title: 'The model’s provider withheld this answer.', text: message }
  const by = hook === undefined ? 'a check' : `the check “${hook}”`
  const { title, rest } = BLOCKED[phase ?? 'input']
  return { title: `${title} by ${by}.`, text: [message, rest].filter(Boolean).join(' ') }
}

const BLOCKED: Readonly<Record<NonNullable<BlockedOutcome['phase']>, { title: string; rest: string }>> = {
  input: { title: 'Your message was held back', rest: 'No model has seen it, and it is not stored.' },
  output: { title: 'This answer was withheld', rest: 'It is not stored.' },
  'tool-input': { title: 'A call was refused', rest: 'It did not run, and the turn was ended.' },
  'tool-result': { title: 'What a tool gave back was withheld', rest: 'The model has not seen it.' },
}

/** What happened, for people, and what to do about it. */
export interface OutcomeText {
  readonly text: string
  /** The button that is offered, by what it does: ask again, go on from here, or start anew. */
  readonly offer?: 'try-again' | 'go-on' | 'new-session'
}

type LimitOutcome = Extract<Outcome, { kind: 'timed-out' | 'max-iterations' | 'no-progress' | 'context-full' }>

/** A turn that a limit ended: which one, and the way on. */
export function limitText(outcome: LimitOutcome, record: TurnRecord): OutcomeText {
  switch (outcome.kind) {
    case 'timed-out':
      return timeText(outcome)
    case 'max-iterations': {
      const steps = plural(outcome.maxIterations, 'step')
      return hasLastAnswer(record)
        ? { text: `The limit of ${steps} was reached. The answer rests on what was found until then.`, offer: 'go-on' }
        : { text: `Stopped after ${steps} without an answer. What was found is kept.`, offer: 'go-on' }
    }
    case 'no-progress':
      return NO_PROGRESS[outcome.reason]
    case 'context-full': {
      const used = formatCount(outcome.usedTokens)
      const room = formatCount(outcome.windowTokens)
      const text = `The conversation is too long for this model: ${used} tokens, where it reads ${room}, and it could not be shortened enough. Start a new session, or choose a model that reads more.`
      return { text, offer: 'new-session' }
    }
  }
}

function timeText({ limit, ms }: Extract<Outcome, { kind: 'timed-out' }>): OutcomeText {
  const time = formatDuration(ms)
  switch (limit) {
    case 'turnMs':
      return { text: `The turn reached its time limit of ${time}.`, offer: 'go-on' }
    case 'firstTokenMs':
      return { text: `The model did not begin to answer within ${time}.`, offer: 'try-again' }
    case 'idleMs':
      return { text: `The model fell silent for ${time} in the middle of its answer.`, offer: 'try-again' }
    case 'stepMs':
      return { text: `The model did not finish its answer within ${time}.`, offer: 'try-again' }
  }
}

const NO_PROGRESS: { readonly [Reason in Extract<Outcome, { kind: 'no-progress' }>['reason']]: OutcomeText } = {
  'missing-call': { text: 'The model said twice that it would call a tool, and called none.', offer: 'try-again' },
  'output-limit': {
    text: 'The model’s length limit cut its tool calls off, twice. Ask for less at once, or raise the limit.',
    offer: 'try-again',
  },
  'repeated-call': {
    text: 'The model made the same call again and again and got the same result, so the turn was ended. Put the question another way.',
    offer: 'try-again',
  },
  'hook-retry': {
    text: 'A check sent the model back too often, so the turn was ended. Put the question another way.',
    offer: 'try-again',
  },
  budget: { text: 'The turn has spent what it may. What was found is kept.', offer: 'go-on' },
}

/** Whether a turn that reached its step limit was still given a last word. */
function hasLastAnswer({ entries }: TurnRecord): boolean {
  const last = entries.findLast((entry) => entry.type === 'message')?.message
  return last?.role === 'assistant' && clientCalls(last).length === 0 && messageText(last).trim() !== ''
}

/** What a stopped or interrupted turn left: what was kept, what was cut, and what nobody can know. */
export function leftBehind(record: TurnRecord, calls: readonly CallView[]): string[] {
  const named = (word: string): string[] => [
    ...new Set(calls.filter((call) => callStateWord(call) === word).map((call) => call.toolName)),
  ]
  const sentences: string[] = []
  const done = named('done')
  const stopped = named('stopped')
  const unknown = named('outcome unknown')
  const notRun = named('not run')
  const refused = named('refused')
  if (done.length > 0) sentences.push(`What ${joinWords(done)} found is kept.`)
  if (stopped.length > 0)
    sentences.push(`${joinWords(stopped)} ${stopped.length > 1 ? 'were' : 'was'} stopped on the way.`)
  if (unknown.length > 0) sentences.push(`Whether ${joinWords(unknown)} took effect is not known.`)
  if (refused.length > 0)
    sentences.push(`${joinWords(refused)} ${refused.length > 1 ? 'were' : 'was'} not allowed and did not run.`)
  if (notRun.length > 0) sentences.push(`${joinWords(notRun)} did not run.`)
  if (hasPartialReply(record)) sentences.push('The text so far is kept.')
  if (sentences.length === 0) sentences.push('Your question is kept; nothing else had happened yet.')
  return sentences
}

function hasPartialReply(record: TurnRecord): boolean {
  return record.entries.some(
    (entry) =>
      entry.type === 'message' &&
      entry.message.role === 'assistant' &&
      entry.message.partial === true &&
      entry.message.content.some((part) => part.type === 'text' && part.text.trim() !== ''),
  )
}
