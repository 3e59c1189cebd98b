import type { CallView, Outcome } from '@turnloop/core'
import { joinWords } from '../app/format.ts'
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
      return 'waiting for you'
    case 'max-iterations':
      return 'step limit'
    case 'no-progress':
      return 'no progress'
    case 'context-full':
      return 'conversation full'
    case 'timed-out':
      return 'timed out'
    case 'blocked':
    case 'interrupted':
    case 'failed':
      return outcome.kind
  }
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
  if (done.length > 0) sentences.push(`What ${joinWords(done)} found is kept.`)
  if (stopped.length > 0)
    sentences.push(`${joinWords(stopped)} ${stopped.length > 1 ? 'were' : 'was'} stopped on the way.`)
  if (unknown.length > 0) sentences.push(`Whether ${joinWords(unknown)} took effect is not known.`)
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
