import { ABANDONED, settleWithin } from './abort.ts'
import type { EntryDraft } from './entries.ts'
import { TurnloopError, toErrorRecord } from './errors.ts'
import type { CompactionReport, LiveEventBody } from './events.ts'
import type { Compactor } from './runner-parts.ts'
import { checkStillThere } from './session-erase.ts'
import { logNotRead, sessionBusy } from './session-errors.ts'
import type { Job } from './session-queue.ts'
import type { RunContext } from './session-runs.ts'

type Where = Pick<RunContext, 'sessionId' | 'agent' | 'storage' | 'view'>

/** Compact a session between two turns; resolves with what was done. Throws why it failed, and says so in an event. */
export async function compactSession(job: Job, focus: string | undefined, context: Where): Promise<CompactionReport> {
  const { view, agent } = context
  checkWhole(context)
  const compactor = compactorOf(context)
  const { source } = view.snapshot
  const { signal } = job.controller
  const emit = (body: LiveEventBody): void =>
    view.apply({ turnId: job.turnId, at: agent.clock.now(), after: view.lastSequence, ...body })
  try {
    const compacting = compactor.compact(source, {
      signal,
      ...(focus !== undefined && { focus }),
      onStart: (hidden, usedTokens) => emit({ type: 'compaction-started', hidden, usedTokens }),
    })
    const done = await settleWithin(compacting, { signal, graceMs: NOTICE_MS, clock: agent.clock })
    if (done === ABANDONED) throw signal.reason
    if (done === undefined) return nothingOf(compactor.preview(source))
    await save(done.draft, job, context)
    emit({ type: 'compaction-finished', ...done.report })
    return done.report
  } catch (error) {
    if (!signal.aborted) emit({ type: 'compaction-failed', error: toErrorRecord(error, 'internal') })
    throw error
  }
}

/** Long enough for a strategy to notice Stop, too short for anybody to feel. */
const NOTICE_MS = 20

/** The same conversation, of which nothing is hidden. */
function nothingOf({ hidden, kept, tokensBefore }: CompactionReport): CompactionReport {
  return { hidden: 0, kept: kept + hidden, tokensBefore, tokensAfter: tokensBefore }
}

/** Write it down; once stopped it is not waited for. Throws where another page has taken over: then it is nowhere. */
async function save(draft: EntryDraft, { controller: { signal } }: Job, { storage, agent }: Where): Promise<void> {
  await settleWithin(storage.append(draft).saved, { signal, graceMs: 0, clock: agent.clock })
  if (storage.isStale) signal.throwIfAborted()
}

/** What `compactSession` would hide. Asks nobody and changes nothing. */
export function previewSession(context: Where): CompactionReport {
  return compactorOf(context).preview(context.view.snapshot.source)
}

/** Take back the newest compaction that is in force. Throws `bad-input` where there is none. */
export async function undoCompaction(job: Job, context: Where): Promise<void> {
  checkWhole(context)
  const { view, sessionId } = context
  const { overlays, undone } = view.snapshot.source
  const isUndone = (id: string, at: number): boolean => undone.some((undo) => undo.id === id && undo.at > at)
  const compactions = new Set(
    view.entries.flatMap((entry) => (entry.type === 'overlay' && entry.by === 'compaction' ? [entry.id] : [])),
  )
  const last = overlays.findLast(({ id, at }) => compactions.has(id) && !isUndone(id, at))
  if (last === undefined) throw new TurnloopError('bad-input', `Session ${sessionId} has no compaction to take back.`)
  const { source } = view.snapshot
  checkStillThere({ ...source, undone: [...source.undone, { id: last.id, at: view.lastSequence + 1 }] }, view.entries)
  await save({ type: 'overlay-undone', id: last.id, critical: true }, job, context)
}

function checkWhole({ view, sessionId }: Where): void {
  if (view.openTurnId !== undefined) throw sessionBusy(sessionId)
  if (!view.log.isWhole) throw logNotRead(sessionId)
}

function compactorOf({ agent, storage, sessionId }: Where): Compactor {
  const { compaction } = agent.parts(storage.createWriter(), { sessionId })
  if (compaction !== undefined) return compaction
  throw new TurnloopError(
    'bad-option',
    `The agent ${agent.name} does not compact. Give it compaction: autoCompaction() from @turnloop/core.`,
  )
}
