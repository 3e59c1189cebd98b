import type { Checkpoint } from './checkpoint.ts'
import type { Entry } from './entries.ts'
import { TurnloopError } from './errors.ts'
import { findOpenTurn } from './open-turn.ts'
import { createHead } from './session-head.ts'
import type { Job } from './session-queue.ts'
import { runCutTurn } from './session-runs.ts'
import type { SessionStore } from './session-store.ts'
import type { TaskContext } from './session-tasks.ts'
import { SessionView } from './session-view.ts'

/** How many entries go to the store at once when a session is copied. */
const CHUNK = 200

/** Go back to a checkpoint: what came after it stays in the log, out of the transcript and the state. */
export async function rewindSession(job: Job, checkpoint: Checkpoint, context: TaskContext): Promise<void> {
  const { view, storage } = context
  checkCheckpoint(checkpoint, view.lastSequence)
  const cut = findOpenTurn(view.entries)
  if (cut !== undefined) {
    // Brought to a truthful end first, so that nothing goes on with it.
    const quiet = { onEvent: () => {}, onRunner: () => {} }
    await runCutTurn(cut, AbortSignal.abort('rewound'), { ...context, ...quiet })
  }
  if (view.snapshot.source.rewinds.some(({ to, at }) => checkpoint.sequence > to && checkpoint.sequence < at))
    throw new TurnloopError('bad-input', 'This checkpoint was left behind by a rewind: branch from it instead.')
  job.controller.signal.throwIfAborted()
  await storage.append({ type: 'rewound', to: checkpoint.sequence, critical: true }).saved
}

/** Copy a log up to a checkpoint into a session of its own; the head is written last, so that half a copy is no session. */
export async function copySession(
  from: { readonly id: string; readonly entries: readonly Entry[]; readonly checkpoint: Checkpoint },
  to: { readonly id: string; readonly store: SessionStore; readonly now: number; readonly title?: string },
): Promise<void> {
  const { checkpoint, entries } = from
  checkCheckpoint(checkpoint, entries.at(-1)?.sequence ?? 0)
  const kept = entries.filter(({ sequence }) => sequence <= checkpoint.sequence)
  const forkedFrom = { sessionId: from.id, sequence: checkpoint.sequence }
  const title = to.title !== undefined && { title: to.title }
  const mark: Entry = { sequence: kept.length + 1, at: to.now, type: 'session-changed', forkedFrom, ...title }
  await writeSession([...kept, mark], to)
}

/** Write a whole log into a session that is new. Throws `conflict` where there is one of that id. */
export async function writeSession(
  entries: readonly Entry[],
  { id, store, now }: { readonly id: string; readonly store: SessionStore; readonly now: number },
): Promise<void> {
  const { fence } = await store.claim(id)
  const view = new SessionView({ start: {}, now: () => now, busyStatus: () => undefined })
  view.load(entries, { status: 'idle' })
  const { head } = createHead(id, { fence, view, queue: [], isQueueHeld: false, lastSequence: entries.length })
  for (let from = 0; from < entries.length; from += CHUNK) {
    const isLast = from + CHUNK >= entries.length
    await store.append(id, entries.slice(from, from + CHUNK), { fence, ...(isLast && { head }) })
  }
}

function checkCheckpoint({ sequence }: Checkpoint, last: number): void {
  if (Number.isInteger(sequence) && sequence >= 0 && sequence <= last) return
  throw new TurnloopError('bad-input', `There is no checkpoint at ${sequence}: take one that checkpoints() gave.`)
}
