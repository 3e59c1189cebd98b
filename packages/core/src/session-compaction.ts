import { type CompactionTask, compact, previewCompaction } from './compaction.ts'
import { TurnloopError, toErrorRecord } from './errors.ts'
import type { CompactionReport, LiveEventBody } from './events.ts'
import { sessionBusy } from './session-errors.ts'
import type { Job } from './session-queue.ts'
import type { RunContext } from './session-runs.ts'
import { estimateMessageTokens } from './token-estimate.ts'
import { historyMessages } from './transcript.ts'

/** The part of the conversation that a compaction by hand leaves as it is, at most twice this. */
const KEPT_SHARE = 0.5

type Where = Pick<RunContext, 'sessionId' | 'agent' | 'storage' | 'view'>

/** Compact a session between two turns; resolves with what was done. Throws what `compact` throws, and says so in an event. */
export async function compactSession(job: Job, focus: string | undefined, context: Where): Promise<CompactionReport> {
  const { view, storage, agent } = context
  checkNoOpenTurn(context)
  const task = taskOf(context, focus)
  const emit = (body: LiveEventBody): void =>
    view.apply({ turnId: job.turnId, at: agent.clock.now(), after: view.lastSequence, ...body })
  try {
    const done = await compact({
      ...task,
      signal: job.controller.signal,
      onStart: (hidden) => emit({ type: 'compaction-started', hidden, usedTokens: task.usedTokens }),
    })
    if (done === undefined) return previewCompaction(task)
    await storage.append(done.draft).saved
    emit({ type: 'compaction-finished', ...done.report })
    return done.report
  } catch (error) {
    if (!job.controller.signal.aborted) emit({ type: 'compaction-failed', error: toErrorRecord(error, 'internal') })
    throw error
  }
}

/** What `compactSession` would hide. Asks nobody and changes nothing. */
export function previewSession(context: Where): CompactionReport {
  return previewCompaction(taskOf(context, undefined))
}

/** Take back the newest compaction that is in force. Throws `bad-input` where there is none. */
export async function undoCompaction(context: Where): Promise<void> {
  checkNoOpenTurn(context)
  const { view, storage, sessionId } = context
  const { overlays, undone } = view.snapshot.source
  const isUndone = (id: string, at: number): boolean => undone.some((undo) => undo.id === id && undo.at > at)
  const compactions = new Set(
    view.entries.flatMap((entry) => (entry.type === 'overlay' && entry.by === 'compaction' ? [entry.id] : [])),
  )
  const last = overlays.findLast(({ id, at }) => compactions.has(id) && !isUndone(id, at))
  if (last === undefined) throw new TurnloopError('bad-input', `Session ${sessionId} has no compaction to take back.`)
  await storage.append({ type: 'overlay-undone', id: last.id, critical: true }).saved
}

function checkNoOpenTurn({ view, sessionId }: Where): void {
  if (view.openTurnId !== undefined) throw sessionBusy(sessionId)
}

function taskOf({ agent, storage, view, sessionId }: Where, focus: string | undefined): CompactionTask {
  const { source } = view.snapshot
  const { compaction } = agent.parts(storage.createWriter(), { history: source, sessionId })
  if (compaction === undefined)
    throw new TurnloopError('bad-option', `The agent ${agent.name} has compaction switched off.`)
  const usedTokens = historyMessages(source).reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  const room = (compaction.windowTokens ?? Number.POSITIVE_INFINITY) - compaction.reserveTokens
  return {
    source,
    parts: compaction,
    turnStart: Number.POSITIVE_INFINITY,
    budgetTokens: Math.max(0, Math.min(room, usedTokens * KEPT_SHARE)),
    usedTokens,
    ...(focus !== undefined && { focus }),
    signal: new AbortController().signal,
    clock: agent.clock,
  }
}
