import type { Entry } from './entries.ts'
import { messageText } from './messages.ts'
import type { OpenReply, QueuedInput, SessionHead } from './session-store.ts'
import type { SessionView } from './session-view.ts'
import { TurnFold } from './turn-fold.ts'
import { createResult, type TurnResult } from './turn-result.ts'

/** How much of the first question stands for a title that nobody gave. */
const TITLE_LENGTH = 80

/** The two records that are stored beside a session's log, as they stand now. */
export function createHead(
  id: string,
  now: { view: SessionView; queue: readonly QueuedInput[]; lastSequence: number },
): { head: SessionHead; open: OpenReply | null } {
  const { snapshot, entries } = now.view
  const { turns, openTurnId } = now.view
  const title = snapshot.title ?? firstQuestion(now)
  return {
    head: {
      id,
      ...(title !== undefined && { title }),
      createdAt: entries[0]?.at ?? now.queue[0]?.createdAt ?? 0,
      updatedAt: entries.at(-1)?.at ?? now.queue[0]?.createdAt ?? 0,
      lastSequence: now.lastSequence,
      turns,
      ...(openTurnId !== undefined && { openTurnId }),
      state: snapshot.state,
      usage: snapshot.usage,
      queue: now.queue,
    },
    open:
      snapshot.open === undefined || openTurnId === undefined ? null : { turnId: openTurnId, message: snapshot.open },
  }
}

function firstQuestion(now: { view: SessionView; queue: readonly QueuedInput[] }): string | undefined {
  const first = now.view.snapshot.source.messages.find(({ message }) => message.role === 'user')?.message
  const text = first?.role === 'user' ? messageText(first) : undefined
  const line = text?.trim().split('\n')[0]?.trim()
  if (!line) return undefined
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : line
}

/** The result of a turn that has ended, from the log alone; `undefined` if it is not there or has not ended. */
export function resultFromLog(entries: readonly Entry[], turnId: string): TurnResult | undefined {
  const fold = new TurnFold()
  for (const entry of entries) if (entry.turnId === turnId && entry.path === undefined) fold.apply(entry)
  if (fold.outcome === undefined) return undefined
  return createResult({
    turnId,
    outcome: fold.outcome,
    reply: fold.lastReply,
    messages: fold.messages,
    usage: fold.usage,
    iterations: fold.iteration,
  })
}
