import { type EntriesErased, type Entry, isNested } from './entries.ts'
import { TurnloopError } from './errors.ts'
import type { ShortenReport } from './events.ts'
import { findOpenTurn } from './open-turn.ts'
import { blobsIn } from './session-blobs.ts'
import { logNotRead } from './session-errors.ts'
import type { Job } from './session-queue.ts'
import { runCutTurn } from './session-runs.ts'
import type { TaskContext } from './session-tasks.ts'
import { cannotRewrite, notErasedYet } from './storage-trouble.ts'
import { tombstonesOf } from './tombstone.ts'
import { historyItems, type TranscriptSource } from './transcript.ts'

/** Take a message out of the log, the store and every page for good, and all that came of its calls. */
export async function eraseMessage(job: Job, messageId: string, context: TaskContext): Promise<void> {
  const { view, sessionId } = context
  if (!view.log.isWhole) throw logNotRead(sessionId)
  const target = findMessage(view.entries, messageId)
  if (target === undefined)
    throw new TurnloopError('bad-input', `Session ${sessionId} has no message "${messageId}" that could be erased.`)
  const open = findOpenTurn(view.entries)
  if (open !== undefined && open.turnId === target.turnId) {
    // Brought to a truthful end first: nothing goes on from what is no longer there.
    await runCutTurn(open, AbortSignal.abort('erased'), {
      ...context,
      onEvent: () => {},
      onRunner: () => {},
      steer: (parts) => parts,
    })
  }
  job.controller.signal.throwIfAborted()
  const { entries } = view
  const named = namedBy(target, entries)
  const told = overlaysOver(target.sequence, entries)
  const shortened = shortenedOf(entries)
  const voided = told.filter((overlay) => overlay.by === 'compaction' && !coversAny(overlay, shortened))
  await rewrite(context, {
    why: 'erase',
    sequences: [...named, ...told, ...formerNames(entries)].map(({ sequence }) => sequence).sort((a, b) => a - b),
    ids: named.flatMap((entry) => (entry.type === 'message' ? entry.message.id : [])),
    voided: voided.map(({ sequence }) => sequence),
  })
}

/** What the session was called before: names are made of what was said, and nobody reads those that were replaced. */
function formerNames(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => entry.type === 'session-changed' && entry.title !== undefined).slice(0, -1)
}

type Overlay = Extract<Entry, { type: 'overlay' }>
type Told = Extract<Entry, { type: 'message' | 'note' }>

function findMessage(entries: readonly Entry[], id: string): Told | undefined {
  const isIt = (entry: Entry): entry is Told =>
    (entry.type === 'message' || entry.type === 'note') && !isNested(entry) && entry.message.id === id
  return entries.find(isIt)
}

/** A message, what came of its calls, and how its turn ended. */
function namedBy(target: Told, entries: readonly Entry[]): readonly Entry[] {
  const { message, turnId } = target
  const calls = new Set(
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.type === 'tool-call' ? part.callId : []))
      : message.role === 'tool'
        ? message.calls.map(({ callId }) => callId)
        : [],
  )
  // Of a tool message it is the results that go: what the model asked for is another message.
  const isOfCall = message.role === 'tool' ? isResultOf : isOfCalls
  const asked = requestsOf(calls, entries)
  return entries.filter((entry) => {
    if (entry === target) return true
    if (entry.turnId !== turnId || turnId === undefined) return false
    if (entry.type === 'turn-ended') return !isNested(entry)
    return isOfCall(entry, calls) || (entry.type === 'approval-decided' && asked.has(entry.id))
  })
}

function requestsOf(calls: ReadonlySet<string>, entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => (entry.type === 'approval-requested' && calls.has(entry.callId) ? entry.id : [])),
  )
}

function isResultOf(entry: Entry, calls: ReadonlySet<string>): boolean {
  return entry.type === 'tool-settled' && !isNested(entry) && calls.has(entry.callId)
}

function isOfCalls(entry: Entry, calls: ReadonlySet<string>): boolean {
  const [outer] = entry.path ?? []
  if (outer !== undefined) return calls.has(outer)
  switch (entry.type) {
    case 'tool-started':
    case 'tool-settled':
    case 'approval-requested':
      return calls.has(entry.callId)
    case 'turn-paused':
      return entry.pending.some(({ callId }) => calls.has(callId))
    case 'message':
      return entry.message.role === 'tool' && entry.message.calls.some(({ callId }) => calls.has(callId))
    default:
      return false
  }
}

function overlaysOver(sequence: number, entries: readonly Entry[]): readonly Overlay[] {
  return entries.filter(
    (entry): entry is Overlay =>
      entry.type === 'overlay' &&
      !isNested(entry) &&
      entry.hides.some(([from, to]) => sequence >= from && sequence <= to),
  )
}

function coversAny({ hides }: Overlay, sequences: ReadonlySet<number>): boolean {
  return [...sequences].some((sequence) => hides.some(([from, to]) => sequence >= from && sequence <= to))
}

/**
 * Drop what the entries say that no transcript shows any more, since at least `olderThanMs`: what a live compaction hides and
 * what a rewind left behind.
 */
export async function shortenSession(job: Job, olderThanMs: number, context: TaskContext): Promise<ShortenReport> {
  const { view, agent } = context
  if (!view.log.isWhole) throw logNotRead(context.sessionId)
  const { entries, snapshot } = view
  const latest = agent.clock.now() - olderThanMs
  const shown = shownSequences(snapshot.source)
  const hiding = entries.filter(({ type }) => type === 'rewound' || type === 'overlay')
  const isGone = (sequence: number): boolean => hiddenSince(sequence, hiding) <= latest
  const targets = entries.filter(
    (entry): entry is Told =>
      entry.type === 'message' &&
      !isNested(entry) &&
      entry.erased !== true &&
      entry.turnId !== view.openTurnId &&
      !shown.has(entry.sequence) &&
      isGone(entry.sequence),
  )
  const turns = new Map<string | undefined, Entry[]>()
  for (const entry of entries) turns.set(entry.turnId, [...(turns.get(entry.turnId) ?? []), entry])
  const named = targets.flatMap((target) => namedBy(target, turns.get(target.turnId) ?? []))
  const sequences = new Set(named.map(({ sequence }) => sequence))
  // A turn of which something is shown keeps its end.
  const kept = new Set(entries.flatMap((entry) => (shown.has(entry.sequence) ? (entry.turnId ?? []) : [])))
  for (const entry of entries)
    if (entry.erased || (entry.type === 'turn-ended' && kept.has(entry.turnId ?? ''))) sequences.delete(entry.sequence)
  job.controller.signal.throwIfAborted()
  if (sequences.size === 0) return { messages: 0, entries: 0, freedBytes: 0 }
  const freedBytes = await rewrite(context, { why: 'shorten', sequences: [...sequences], ids: [], voided: [] })
  return { messages: targets.length, entries: sequences.size, freedBytes }
}

/** What requests are made of, and what is shown beside it whatever hides the rest. */
function shownSequences(source: TranscriptSource): ReadonlySet<number> {
  const items = historyItems(source).flatMap(({ sequence, isOverlay }) => (isOverlay ? [] : sequence))
  const aside = source.messages.flatMap(({ sequence, detached, blocked }) => (detached || blocked ? sequence : []))
  return new Set([...items, ...aside])
}

/** When something was last taken out of the transcript, in epoch ms; never, for what nothing covers. */
function hiddenSince(sequence: number, hiding: readonly Entry[]): number {
  const cause = hiding.findLast((entry) => {
    if (entry.type === 'rewound') return sequence > entry.to && sequence < entry.sequence
    return entry.type === 'overlay' && entry.hides.some(([from, to]) => sequence >= from && sequence <= to)
  })
  return cause?.at ?? Number.POSITIVE_INFINITY
}

/** The entries that were shortened. */
function shortenedOf(entries: readonly Entry[]): ReadonlySet<number> {
  return new Set(
    entries.flatMap((entry) => (entry.type === 'erased' && entry.why === 'shorten' ? entry.sequences : [])),
  )
}

/** Throw `shortened` where a transcript would show what has been shortened. */
export function checkStillThere(source: TranscriptSource, entries: readonly Entry[]): void {
  const shortened = shortenedOf(entries)
  if (shortened.size === 0) return
  if (!historyItems(source).some(({ sequence, isOverlay }) => !isOverlay && shortened.has(sequence))) return
  throw new TurnloopError(
    'shortened',
    'What this would bring back has been shortened, and is no longer stored. Take a later checkpoint.',
  )
}

/**
 * Write down that entries are erased: every page replaces them when it reads that, and the store in the very step in which it
 * saves that. Resolves with the bytes that went.
 */
async function rewrite(context: TaskContext, erasure: Omit<EntriesErased, 'type'>): Promise<number> {
  const { view, storage, sessionId } = context
  // What is not saved yet could only be erased where it waits: once it is, one step erases all.
  await storage.log.flush()
  if (storage.store.rewrite === undefined || storage.log.fence === undefined || storage.log.waiting > 0)
    throw cannotRewrite(sessionId, storage.store)
  const before = view.entries
  const changed = tombstonesOf({ type: 'erased', ...erasure }, before)
  const old = before.filter(({ sequence }) => changed.has(sequence))
  if (changed.size > 0) {
    await storage.blobs.keep([...changed.values()])
    const { entries, saved } = storage.append({ type: 'erased', critical: true, ...erasure })
    await saved
    const isStored = entries.every(({ sequence }) => sequence <= storage.log.storedSequence)
    if (!isStored) throw notErasedYet(sessionId, view.snapshot.storage)
  }
  const freed = await retainBlobs(context)
  return freed + sizeOf(old) - sizeOf([...changed.values()])
}

/** Drop the large values that nothing stored names any more; resolves with how many bytes went. */
async function retainBlobs({ sessionId, storage, view }: TaskContext): Promise<number> {
  const { store, blobs } = storage
  if (store.blobs === undefined) return 0
  const waiting = view.snapshot.queue.map((input) => blobs.storedForm(input))
  return store.blobs.retain(sessionId, blobsIn([...(await store.read(sessionId)), ...waiting]))
}

function sizeOf(entries: readonly Entry[]): number {
  return JSON.stringify(entries).length
}
