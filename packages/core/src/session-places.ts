import { type Entry, isNested, type MessageAdded, type TurnStarted } from './entries.ts'
import { TurnloopError } from './errors.ts'
import { nothingToRetry } from './session-errors.ts'
import type { SessionView } from './session-view.ts'

type MessageEntry = Entry & MessageAdded

/** The sequence after which a person's message, and all that came of it, is left behind. Throws `bad-input`. */
export function placeBefore(view: SessionView, messageId: string): number {
  const { entries } = view
  const asked = entries.find((entry) => isMessage(entry) && entry.message.id === messageId)
  if (asked === undefined || !isFromPerson(asked))
    throw new TurnloopError('bad-input', `There is no message ${messageId} of a person in this session.`)
  const turn = entries.filter((entry) => entry.turnId === asked.turnId && entry.sequence < asked.sequence)
  const start = turn.find(isStart)
  // What was said while its turn ran stands behind what that had done by then.
  return start === undefined || turn.some(isMessage) ? asked.sequence - 1 : start.sequence - 1
}

/**
 * The sequence of the person's message that a message answers, or that it is; default: the last one that is shown. Throws
 * `bad-input` where there is none, and for one that no later request may hold.
 */
export function placeOfQuestion(view: SessionView, messageId: string | undefined, sessionId: string): number {
  const { entries, snapshot } = view
  const id =
    messageId ?? snapshot.messages.findLast((shown) => shown.role === 'user' && shown.synthetic === undefined)?.id
  let before: Entry | undefined = entries.find((entry) => isMessage(entry) && entry.message.id === id)
  while (before !== undefined) {
    const { turnId, sequence } = before
    const turn = entries.filter((entry) => entry.turnId === turnId && entry.sequence <= sequence)
    const question = turn.findLast(isFromPerson)
    const start = turn.find(isStart)
    if (question !== undefined && question.blocked === undefined && start?.history !== false) return question.sequence
    // A turn that only tries again answers what the one before it was asked.
    before = question === undefined ? lastOf(entries, start?.retryOf) : undefined
  }
  throw nothingToRetry(sessionId)
}

function lastOf(entries: readonly Entry[], turnId: string | undefined): Entry | undefined {
  return turnId === undefined ? undefined : entries.findLast((entry) => entry.turnId === turnId)
}

function isMessage(entry: Entry): entry is MessageEntry {
  return entry.type === 'message' && !isNested(entry)
}

function isFromPerson(entry: Entry): entry is MessageEntry {
  if (!isMessage(entry) || entry.message.role !== 'user') return false
  // Blocked input is a person's too.
  return entry.message.synthetic === undefined || entry.blocked !== undefined
}

function isStart(entry: Entry): entry is Entry & TurnStarted {
  return entry.type === 'turn-started' && !isNested(entry)
}
