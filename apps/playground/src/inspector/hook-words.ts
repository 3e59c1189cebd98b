import type { EvalResult, HookError } from '@turnloop/core'
import type { HookRun } from '../app/hook-notes.ts'
import { knownFacts, type TimelineRow } from './timeline-step.ts'

/** What a hook did, in a word. */
export type Did = 'running' | 'ran' | 'passed' | 'changed' | 'blocked' | 'failed'

/** Slots whose hooks decide whether something goes on. */
const CHECKS: ReadonlySet<string> = new Set(['preHooks', 'postHooks', 'toolGuardrails'])

/** What a hook did: by how its run ended, or that it has not. */
export function didWord({ type, slot, changed }: HookRun, isRunning: boolean): Did {
  if (isRunning) return 'running'
  if (type === 'hook-blocked') return 'blocked'
  if (type === 'hook-failed') return 'failed'
  if (changed) return 'changed'
  return CHECKS.has(slot) ? 'passed' : 'ran'
}

/** The same in a few words. */
export const DID_MEANING: Readonly<Record<Did, string>> = {
  running: 'runs now',
  ran: 'ran to its end',
  passed: 'let it go on as it was',
  changed: 'put something else in its place',
  blocked: 'did not let it go on',
  failed: 'failed',
}

/** What a row about a hook says. */
export type RowFacts = Pick<TimelineRow, 'label' | 'detail' | 'tone' | 'facts'>

/** Shown text was taken back. */
export const RETRACTED: RowFacts = {
  label: 'text taken back',
  detail: 'did not pass',
  tone: 'warn',
  facts: [['meaning', 'A check found, behind text that was shown already, that it may not stand. It was taken away.']],
}

/** What an eval found. */
export function evalFacts({ name, phase, score, passed, data }: EvalResult): RowFacts {
  const verdict = passed === undefined ? '' : passed ? ', passed' : ', not passed'
  return {
    label: name,
    detail: `score ${score.toLocaleString('en', { maximumFractionDigits: 3 })}${verdict}`,
    tone: passed === false ? 'warn' : 'plain',
    facts: knownFacts([
      ['scores', phase === 'input' ? 'the question' : 'the answer'],
      ['found', data && JSON.stringify(data)],
    ]),
  }
}

/** What went wrong in a hook. */
export function failureFacts({ hook, slot, error }: HookError): RowFacts {
  return {
    label: hook,
    detail: 'failed',
    tone: 'warn',
    facts: knownFacts([
      ['where', slotWords(slot)],
      ['did', 'failed; the turn went on'],
      ['why', error.message],
    ]),
  }
}

/** Where in a turn a hook stands that is around no call. */
export type Place = 'question' | 'model' | 'batch' | 'end'

/** Those that stand around a call are placed by it; here they are for what the log tells, which names no call. */
const PLACES: Readonly<Record<string, Place>> = {
  preHooks: 'question',
  beforeToolCall: 'batch',
  afterToolCall: 'batch',
  toolHooks: 'batch',
  toolGuardrails: 'batch',
  before: 'batch',
  around: 'batch',
  after: 'batch',
  afterTurn: 'end',
  onCancel: 'end',
  onError: 'end',
}

/** The place of a slot. */
export function placeOf(slot: string): Place {
  return PLACES[slot] ?? 'model'
}

const SLOT_WORDS: Readonly<Record<string, string>> = {
  preHooks: 'before the question goes on (preHooks)',
  postHooks: 'before the answer is shown (postHooks)',
  toolHooks: 'around the call (toolHooks)',
  toolGuardrails: 'on what goes in and out of tools (toolGuardrails)',
}

/** A slot in words. */
export function slotWords(slot: string): string {
  return SLOT_WORDS[slot] ?? slot
}
