import type { Agent } from './agent.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Entry } from './entries.ts'
import type { CompactionReport, ShortenReport, TurnEvent } from './events.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { UserPart } from './messages.ts'
import type { SessionChannel } from './session-channel.ts'
import type { ExportOptions, SessionFile } from './session-file.ts'
import type { SessionLock } from './session-lock.ts'
import type { SessionStore } from './session-store.ts'
import type { SessionStatus, Snapshot } from './snapshot.ts'
import type { TurnFacts } from './turn-options.ts'
import type { RejectOn, TurnResult } from './turn-result.ts'

/** Options of `openSession`. */
export interface OpenSessionOptions<Output = unknown> {
  agent: Agent<Output>
  /** Default: a new one. */
  id?: string
  /** Where the conversation is kept. Default: in memory, for as long as the page lives. */
  store?: SessionStore
  /** Lets one page at a time drive the session. Default: the store's own. */
  lock?: SessionLock
  /** By which pages follow the one that drives, and ask it to do things. Default: the store's own. */
  channel?: SessionChannel
  /** Whether a turn that was cut goes on by itself when the session is opened. Default `'auto'`. */
  resume?: 'auto' | 'manual'
  /**
   * What becomes of an unsafe call that was running when the page went away. `'report'` (default): its result is `unknown`,
   * and the turn goes on. `'ask'`: the turn waits until somebody says what came of it; see `PendingRequest.ask`.
   */
  onUnknownOutcome?: 'report' | 'ask'
  /**
   * Called once each time that the store has become full: prune, shorten, ask the user. What it returns is waited for, and
   * then what waits is tried again at once. What it throws becomes a warning. Default: nothing is removed.
   */
  makeRoom?: () => unknown
  /** How long one save may take before the turn goes on without it. Default 5,000. */
  saveTimeoutMs?: number
}

/** What a person sends. */
export type SessionInput = string | readonly UserPart[]

/** Options of `send`. What hooks and tools are told of the turn is not stored: a turn that a reload cut goes on without. */
export interface SendOptions extends Omit<TurnFacts, 'depth'> {
  /** Aborting it cancels this input alone, queued or running. */
  signal?: AbortSignal
  /**
   * What to do while a turn runs. `'queue'` (default): wait for it. `'steer'`: join it before the model is asked again, after
   * the results of tools; where it would end first it goes on for this, and where it ends otherwise this goes first of what
   * waits. `'replace'`: cancel it and go first. `'reject'`: throw `session-busy`.
   *
   * What steers passes the preHooks, is stored until it has joined, and gives the result of the turn it has joined, of which it
   * then is a part: aborting `signal` takes it back before that only, and what the options tell hooks counts if it starts a turn.
   */
  whenBusy?: 'queue' | 'steer' | 'replace' | 'reject'
  /** When it rejects with the error that stands for the turn's outcome, after all is saved. Default `'never'`. */
  reject?: RejectOn
  /** The id of the turn that this starts; sending the same id twice gives the same turn. */
  turnId?: string
}

/** Opens sessions that somebody else drives: a worker, say. */
export interface SessionHost {
  /** Where they are kept. */
  readonly store: SessionStore
  /** Open a conversation, new or stored; in this page it only follows. */
  open(sessionId: string): Session
}

/** Options of `edit`. */
export type EditOptions = Omit<SendOptions, 'whenBusy'>

/** One conversation: commands in, snapshots out. Made by `openSession`. */
export interface Session<Output = unknown> {
  readonly id: string
  /** `getSnapshot().status`, for who listens to every delta: it makes no snapshot. */
  readonly status: SessionStatus
  /** The same object until something changes. Usable detached. */
  getSnapshot(): Snapshot
  /** Called after every change. Usable detached; the returned function unsubscribes. */
  subscribe(listener: () => void): () => void
  /** Everything that happens from now on, turn after turn, until the session is closed. Leaving changes nothing. */
  events(): AsyncIterable<TurnEvent>
  /** The log as this page knows it, oldest first; of a long one only the end, until the rest is needed. */
  getEntries(): readonly Entry[]
  /**
   * Show older messages where `snapshot.hasEarlier` says that there are some: about `limit` (default 50) of them, whole turns.
   * Those that are shown stay the same objects. Resolves once they are shown; asked twice at a time, it does it once. Rejects
   * with what the store throws.
   */
  loadEarlier(limit?: number): Promise<void>
  /**
   * Say something; resolves when the turn it starts has ended, with whatever outcome, as the log tells it.
   *
   * Inputs are asked in the order they were sent. One that never becomes a turn is handed back in `outcome.input`.
   * Rejects where `reject` asks for it, and for wrong use: `bad-input`, `bad-option`, `session-closed`, `session-busy` where that was asked for, and
   * `newer-version` for a session that this version can only read.
   */
  send(input: SessionInput, options?: SendOptions): Promise<TurnResult<Output>>
  /**
   * Stop the running turn and hold the queue until the next `send`. What else waits behind that turn, a `regenerate` say, is
   * given up. Resolves when the turn has ended.
   */
  cancel(reason?: unknown): Promise<void>
  /**
   * Go on with a turn that a reload or crash cut; asked twice, it goes on once. Rejects with `nothing-to-resume` if there
   * is none.
   */
  resume(): Promise<TurnResult<Output>>
  /**
   * Allow a call that `snapshot.pending` asks about; `input` are other arguments for it, or the fields that were asked for.
   * Works while its turn runs, after it has paused and after a reload. Resolves once the decision is stored; the call starts
   * at once. Said twice, it counts once. Rejects with `bad-input` for what nothing waits for, and for fields that are missing.
   */
  approve(id: string, options?: { input?: JsonObject }): Promise<void>
  /** Do not allow it; the model reads the note. Otherwise as `approve`. */
  deny(id: string, note?: string): Promise<void>
  /**
   * Answer in the place of a tool that has nothing to run, or say what came of a call that was in doubt: any value that a tool
   * may return. Otherwise as `approve`.
   */
  answer(id: string, result: unknown): Promise<void>
  /**
   * A new turn without input, on the transcript as it is, except that the model does not see the reply that is tried
   * again: after a failure, say. Asked for twice, it asks once. Rejects with `bad-input` where nothing was asked yet, or is sent without history.
   */
  retry(): Promise<TurnResult<Output>>
  /**
   * Ask again in place of an answer: what came after the question is left behind, as by `rewind`, and the model is asked
   * anew. `messageId` is the answer's, any message of it, or the question's; default: the last. Stops what runs. Rejects with
   * `bad-input` where there is no such question, or one that was blocked or sent without history.
   */
  regenerate(messageId?: string): Promise<TurnResult<Output>>
  /**
   * Say something else in place of a message of a person: it and all that came after it is left behind, as by `rewind`, and
   * this is asked instead. Stops what runs. What is left behind and what is said are stored as one: no crash comes in between.
   * Otherwise as `send`; rejects with `bad-input` for what is no message of a person in this session.
   */
  edit(messageId: string, input: SessionInput, options?: EditOptions): Promise<TurnResult<Output>>
  /**
   * Put a summary in place of the older messages, after the running turn if there is one. `focus` is what it should dwell
   * on. Resolves with what was done; `hidden: 0` where nothing was worth hiding. Rejects with why the summary failed, with
   * the conversation unchanged; with `session-busy` while a turn waits to be resumed, or for a person; with the reason of a `cancel`.
   */
  compact(options?: { focus?: string }): Promise<CompactionReport>
  /** What `compact` would do. Asks no model and changes nothing. */
  previewCompaction(): Promise<CompactionReport>
  /** Take back the last compaction: what it hid is part of the conversation again. Rejects with `bad-input` if there is none. */
  undoCompaction(): Promise<void>
  /**
   * Change the session's state by a JSON merge patch: `null` removes a key. After the running turn; resolves once it is in the
   * log. Rejects with `bad-input` for what is no plain JSON.
   */
  setState(patch: JsonObject): Promise<void>
  /** Places to go back to or to branch from, oldest first; the first is before anything was said. */
  checkpoints(): Promise<readonly Checkpoint[]>
  /**
   * Go back to a checkpoint; stops a running turn first. What came after it stays in the log, out of the transcript and the
   * state. One that an earlier rewind left behind can be gone to as well: that takes the rewind back. Rejects with
   * `bad-input` for what is no checkpoint.
   */
  rewind(checkpoint: Checkpoint): Promise<void>
  /**
   * A session of its own, in the same store, with the conversation up to a checkpoint; this one goes on as it is. A turn that
   * the checkpoint cuts in two waits to be resumed there. Rejects with `bad-input` for what is no checkpoint, and with what
   * the store throws.
   */
  fork(checkpoint: Checkpoint): Promise<Session<Output>>
  /** The whole session as one JSON file, to keep, to import with `importSession`, or to look at with `replay`. */
  export(options?: ExportOptions): Promise<SessionFile>
  /**
   * The bytes that a file `{ blob, byteLength }` stands for, or what `blobOf` finds in a tool's result; `undefined` where
   * they are no longer stored. Large values are kept apart from the log, and shown by them once a session is loaded again.
   * Rejects with what the store throws.
   */
  readBlob(hash: string): Promise<Uint8Array | undefined>
  /** Use another agent from the next turn on. */
  setAgent(agent: Agent<Output>): void
  rename(title: string): Promise<void>
  /**
   * Show people a message that no model ever sees: a `user` message with `synthetic: 'note'`, in its place in the transcript,
   * also while a turn runs. `data` is whatever the app shows it by. Only a rewind takes it out. Resolves with its id once it
   * is stored. Rejects with `bad-input` for an empty one, or for data that is no plain JSON.
   */
  addNote(content: SessionInput, options?: { data?: JsonValue }): Promise<string>
  /**
   * Take a message out for good, for privacy: its words, what came of its calls, its files. Its place stays, with
   * "[Erased.]" in it, so that the history remains one that providers take. Other pages follow, and neither the store nor an
   * export has any of it. A compaction that told of it is taken back, and names that the session had before its present one
   * go as well. After the running turn; the turn it belongs to, if that has not ended, ends first. What other messages quote
   * of it stays. Rejects with `bad-input` for no such message, with `storage-unavailable` where not all is saved yet, or the
   * store cannot rewrite: then nothing is erased; and with what the store throws: then it is gone from the pages, and the
   * store is tried again like after any save that failed.
   */
  erase(messageId: string): Promise<void>
  /**
   * Make room: drop what messages said that no transcript shows any more since `olderThanMs` (default 0), because a
   * compaction hides them or a rewind left them behind. After the running turn. What would bring them back then rejects with
   * `shortened`. Rejects as `erase` does.
   */
  shorten(options?: { olderThanMs?: number }): Promise<ShortenReport>
  /** Change an input that still waits. Throws `bad-input`; one that has started is left alone. */
  editQueued(id: string, input: SessionInput): Promise<void>
  removeQueued(id: string): Promise<void>
  /** Save now whatever waits to be saved; resolves when it is saved, or when that has failed or taken too long. */
  flush(): Promise<void>
  /**
   * Hand the store what waits before this returns, the growing reply too: for a page that is hidden, frozen or left, which
   * may never run again. What the store cannot take that way is saved as by `flush`. Never throws.
   */
  saveNow(): void
  /**
   * Let go of the session. `'finish'` (default) waits for the running turn; `'cancel'` stops it; `'leave'` writes no end,
   * so that another page or a later load goes on with it. Inputs that wait stay in the store, for when it is opened again,
   * or for another page that has it open. A page that follows only leaves: what another one drives goes on.
   */
  close(options?: { running?: 'finish' | 'cancel' | 'leave' }): Promise<void>
}
