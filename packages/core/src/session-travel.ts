import type { Checkpoint } from './checkpoint.ts'
import { systemClock } from './clock.ts'
import type { Entry } from './entries.ts'
import { TurnloopError } from './errors.ts'
import { findOpenTurn } from './open-turn.ts'
import { randomId } from './random-id.ts'
import { blobsIn, SessionBlobs } from './session-blobs.ts'
import { checkStillThere } from './session-erase.ts'
import { logNotRead } from './session-errors.ts'
import { type ExportOptions, type SessionFile, toSessionFile } from './session-file.ts'
import { createHead } from './session-head.ts'
import type { Job } from './session-queue.ts'
import { type RunContext, runCutTurn } from './session-runs.ts'
import type { SessionStore } from './session-store.ts'
import type { TaskContext } from './session-tasks.ts'
import { SessionView } from './session-view.ts'
import { sourceBefore } from './transcript.ts'

/** How many entries go to the store at once when a session is copied. */
const CHUNK = 200

/**
 * Go to a checkpoint: what came after it stays in the log, out of the transcript and the state. One that an earlier rewind
 * left behind brings back what led to it: rewinds after it are themselves left behind, and no longer count.
 */
export async function rewindSession(job: Job, checkpoint: Checkpoint, context: TaskContext): Promise<void> {
  const { view, storage } = context
  checkCheckpoint(checkpoint, view.lastSequence)
  if (!view.log.isWhole) throw logNotRead(context.sessionId)
  const cut = findOpenTurn(view.entries)
  if (cut !== undefined) {
    // Brought to a truthful end first, so that nothing goes on with it.
    const quiet: Pick<RunContext, 'onEvent' | 'onRunner' | 'steer'> = {
      onEvent: () => {},
      onRunner: () => {},
      steer: (parts) => parts,
    }
    await runCutTurn(cut, AbortSignal.abort('rewound'), { ...context, ...quiet })
  }
  job.controller.signal.throwIfAborted()
  checkStillThere(sourceBefore(view.snapshot.source, checkpoint.sequence + 1), view.entries)
  await storage.append({ type: 'rewound', to: checkpoint.sequence, critical: true }).saved
}

/** Copy a log up to a checkpoint into a session of its own; resolves with its id. */
export async function forkSession(
  checkpoint: Checkpoint,
  {
    sessionId,
    view,
    agent,
    store,
  }: Pick<TaskContext, 'sessionId' | 'view' | 'agent'> & { readonly store: SessionStore },
): Promise<string> {
  checkCheckpoint(checkpoint, view.lastSequence)
  checkStillThere(sourceBefore(view.snapshot.source, checkpoint.sequence + 1), view.entries)
  const id = randomId()
  const now = agent.clock.now()
  const { title } = view.snapshot
  const kept = view.entries.filter(({ sequence }) => sequence <= checkpoint.sequence)
  await store.blobs?.link(id, blobsIn(kept))
  const forkedFrom = { sessionId, sequence: checkpoint.sequence }
  const mark = { sequence: kept.length + 1, at: now, type: 'session-changed', forkedFrom } as const
  await writeSession([...kept, title === undefined ? mark : { ...mark, title }], { id, store, now })
  return id
}

/** The session as a file, with all that it refers to; of a redacted one nothing would be left of that. */
export async function exportSession(
  { sessionId: id, view, agent, storage }: TaskContext,
  options: ExportOptions,
): Promise<SessionFile> {
  const { entries: logged, snapshot } = view
  const { blobs } = storage
  if (!options.redact) await blobs.fetch(logged)
  const entries = logged.map((entry) => blobs.whole(entry))
  return toSessionFile({ id, title: snapshot.title, entries, now: agent.clock.now() }, options)
}

/** Write a whole log into a session that is new; the head comes last, so that half a copy is no session. Throws `conflict` where there is one of that id. */
export async function writeSession(
  entries: readonly Entry[],
  { id, store, now }: { readonly id: string; readonly store: SessionStore; readonly now: number },
): Promise<void> {
  const { fence } = await store.claim(id)
  const view = new SessionView({ start: {}, now: () => now, busyStatus: () => undefined })
  view.load(entries, { status: 'idle' })
  const { head } = createHead(id, { fence, view, queue: [], isQueueHeld: false, lastSequence: entries.length })
  const blobs = new SessionBlobs({ sessionId: id, store, clock: systemClock, saveTimeoutMs: 0 })
  for (let from = 0; from < entries.length; from += CHUNK) {
    const isLast = from + CHUNK >= entries.length
    const chunk = entries.slice(from, from + CHUNK)
    await blobs.keep(chunk)
    await store.append(
      id,
      chunk.map((entry) => blobs.storedForm(entry)),
      { fence, ...(isLast && { head }) },
    )
  }
}

function checkCheckpoint({ sequence }: Checkpoint, last: number): void {
  if (Number.isInteger(sequence) && sequence >= 0 && sequence <= last) return
  throw new TurnloopError('bad-input', `There is no checkpoint at ${sequence}: take one that checkpoints() gave.`)
}
