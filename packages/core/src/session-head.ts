import { type Entry, isNested } from './entries.ts'
import { isNote, messageText } from './messages.ts'
import { reconcileHistory } from './reconcile.ts'
import type { OpenReply, QueuedInput, SessionHead } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import { ERASED_TEXT } from './tombstone.ts'
import { EMPTY_SOURCE, historyMessages, sourceBefore, type TranscriptSource } from './transcript.ts'
import { TurnFold, withTurn } from './turn-fold.ts'
import { createResult, type TurnResult } from './turn-result.ts'

/** How much of the first question stands for a title that nobody gave. */
const TITLE_LENGTH = 80

/** The two records that are stored beside a session's log. */
export interface SessionRecords {
  readonly head: SessionHead
  readonly open: OpenReply | null
}

/** The records as they stand now. */
export function createHead(
  id: string,
  now: {
    fence: number | undefined
    view: SessionView
    queue: readonly QueuedInput[]
    isQueueHeld: boolean
    lastSequence: number
  },
): SessionRecords {
  const { snapshot, entries, log } = now.view
  const { turns, openTurnId } = log
  const title = snapshot.title ?? log.head?.title ?? firstQuestion(now.view)
  return {
    head: {
      id,
      ...(title !== undefined && { title }),
      ...(snapshot.title !== undefined && { isNamed: true }),
      createdAt: log.createdAt ?? now.queue[0]?.createdAt ?? 0,
      updatedAt: entries.at(-1)?.at ?? now.queue[0]?.createdAt ?? 0,
      lastSequence: now.lastSequence,
      ...(now.fence !== undefined && { fence: now.fence }),
      turns,
      ...(openTurnId !== undefined && { openTurnId }),
      state: snapshot.state,
      usage: snapshot.usage,
      queue: now.queue,
      ...(now.isQueueHeld && { isQueueHeld: true }),
    },
    open:
      snapshot.open === undefined || openTurnId === undefined ? null : { turnId: openTurnId, message: snapshot.open },
  }
}

function firstQuestion(view: SessionView): string | undefined {
  const first = view.snapshot.source.messages.find(
    ({ message }) => message.role === 'user' && !isNote(message) && messageText(message) !== ERASED_TEXT,
  )?.message
  if (first?.role !== 'user') return undefined
  // Enough of it to find its first line: this is asked at every save, and a question can be a whole file.
  const text = messageText(first)
    .trimStart()
    .slice(0, 10 * TITLE_LENGTH)
  const characters = Array.from(text.split('\n')[0]?.trimEnd() ?? '')
  if (characters.length === 0) return undefined
  if (characters.length <= TITLE_LENGTH) return characters.join('')
  return `${characters
    .slice(0, TITLE_LENGTH - 1)
    .join('')
    .trimEnd()}…`
}

/** The result of a turn that has ended, from the log alone; `undefined` if it is not there or has not ended. */
export function resultFromLog(view: SessionView, turnId: string): TurnResult | undefined {
  const fold = new TurnFold()
  const entries = view.entries.filter((entry) => entry.turnId === turnId)
  for (const entry of entries) fold.apply(entry)
  if (fold.outcome === undefined) return undefined
  const before = fold.history ? sourceOfTurn(view.snapshot.source, entries[0]) : EMPTY_SOURCE
  const messages = historyMessages(withTurn(before, fold))
  const output = entries.findLast((entry) => entry.type === 'turn-ended' && !isNested(entry))
  return createResult({
    turnId,
    outcome: fold.outcome,
    reply: fold.lastReply,
    messages: reconcileHistory(messages).messages,
    ...(output?.type === 'turn-ended' && output.output !== undefined && { output: output.output }),
    usage: fold.usage,
    iterations: fold.iteration,
  })
}

/** What came before a turn, as its requests see it, by the entry that starts it. */
export function sourceOfTurn(source: TranscriptSource, started: Entry | undefined): TranscriptSource {
  const before = sourceBefore(source, started?.sequence ?? 0)
  return started?.type === 'turn-started' && started.retryOf !== undefined ? withoutLastReply(before) : before
}

/**
 * What is tried again: the reply that is to be replaced stays on the screen, but the model must not take it for its own
 * beginning, and a request that ends with a reply asks nothing. A reply that the provider paused goes on from where it is.
 */
export function withoutLastReply(source: TranscriptSource): TranscriptSource {
  const history = historyMessages(source)
  const end = history.findLastIndex(
    (message) => message.role !== 'assistant' || (message.stopReason === 'pause' && !message.partial),
  )
  const tried = new Set(history.slice(end + 1))
  return { ...source, messages: source.messages.filter(({ message }) => !tried.has(message)) }
}
