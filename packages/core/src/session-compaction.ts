import { TurnloopError, toErrorRecord } from './errors.ts'
import type { CompactionReport, LiveEventBody } from './events.ts'
import type { Compactor } from './runner-parts.ts'
import { sessionBusy } from './session-errors.ts'
import type { Job } from './session-queue.ts'
import type { RunContext } from './session-runs.ts'

type Where = Pick<RunContext, 'sessionId' | 'agent' | 'storage' | 'view'>

/** Compact a session between two turns; resolves with what was done. Throws why it failed, and says so in an event. */
export async function compactSession(job: Job, focus: string | undefined, context: Where): Promise<CompactionReport> {
  const { view, storage, agent } = context
  checkNoOpenTurn(context)
  const compactor = compactorOf(context)
  const { source } = view.snapshot
  const emit = (body: LiveEventBody): void =>
    view.apply({ turnId: job.turnId, at: agent.clock.now(), after: view.lastSequence, ...body })
  try {
    const done = await compactor.compact(source, {
      signal: job.controller.signal,
      ...(focus !== undefined && { focus }),
      onStart: (hidden, usedTokens) => emit({ type: 'compaction-started', hidden, usedTokens }),
    })
    if (done === undefined) return compactor.preview(source)
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
  return compactorOf(context).preview(context.view.snapshot.source)
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

function compactorOf({ agent, storage, sessionId }: Where): Compactor {
  const { compaction } = agent.parts(storage.createWriter(), { sessionId })
  if (compaction !== undefined) return compaction
  throw new TurnloopError(
    'bad-option',
    `The agent ${agent.name} does not compact. Give it compaction: autoCompaction() from @turnloop/core.`,
  )
}
