import type { JsonObject, JsonValue } from './json.ts'
import type { AssistantMessage, CallToolResult, Message, ToolStatus, UserMessage } from './messages.ts'
import type { EvalResult, HookError, Outcome, PendingRequest } from './outcome.ts'
import type { Usage } from './usage.ts'

/** One record of the session log: a fact, plain data, never edited. */
export type Entry = EntryBase & EntryBody

/** What every entry has. */
export interface EntryBase {
  /** Counts the session's entries from 1 without a gap. Order is this, never a clock. */
  readonly sequence: number
  /** Epoch ms, for showing. */
  readonly at: number
  readonly turnId?: string
  /** The calls that lead to a sub-agent's turn; absent for the session's own. */
  readonly path?: readonly string[]
  /** A reader that does not know this kind must not continue the session. */
  readonly critical?: true
  /** What it said has been erased: this is what was left in its place. */
  readonly erased?: true
}

/** What the log's writer is given: it adds `sequence` and `at`. */
export type EntryDraft = EntryBody & Pick<EntryBase, 'turnId' | 'path' | 'critical'>

/** What an entry says, by kind. */
export type EntryBody =
  | TurnStarted
  | MessageAdded
  | NoteAdded
  | CheckpointReached
  | ToolStarted
  | ToolSettled
  | ApprovalRequested
  | ApprovalDecided
  | StateChanged
  | OverlayAdded
  | OverlayUndone
  | Rewound
  | SessionChanged
  | EntriesErased
  | StopRequested
  | TurnPaused
  | TurnEnded

/** A turn began. Its user message follows, unless it was stopped before. */
export interface TurnStarted {
  readonly type: 'turn-started'
  readonly agentName: string
  readonly modelId: string
  /** Whether the turn sees, and joins, the session's history. */
  readonly history: boolean
  readonly retryOf?: string
}

/** A message joined the transcript. A tool message names its calls; their results stand in `tool-settled`. */
export interface MessageAdded {
  readonly type: 'message'
  readonly message: StoredMessage
  /** What tries of this reply cost that failed before it. */
  readonly discardedUsage?: Usage
  /** Blocked input: shown as blocked, and part of no request. */
  readonly blocked?: { readonly trigger: string }
  /** What it stands for, where the agent keeps what was blocked (`storeRejected`). */
  readonly rejected?: Message
  /** What a hook ends the turn with, once this is written. */
  readonly ends?: Outcome
}

/** A message that people see and the model never does: `synthetic: 'note'`. It belongs to no turn. */
export interface NoteAdded {
  readonly type: 'note'
  readonly message: UserMessage
}

/** A message as the log keeps it. */
export type StoredMessage = UserMessage | AssistantMessage | StoredToolMessage

/** A tool message as the log keeps it: the results stand in `tool-settled`. */
export interface StoredToolMessage {
  readonly id: string
  readonly role: 'tool'
  readonly createdAt: number
  /** In call order. `result` only where it differs from what `tool-settled` recorded. */
  readonly calls: readonly { readonly callId: string; readonly result?: CallToolResult }[]
}

/** A position from which the turn can be resumed, forked or rewound to. */
export interface CheckpointReached {
  readonly type: 'checkpoint'
  /** `'reply'`: the message before it is whole. `'batch'`: its tools are answered. */
  readonly position: 'reply' | 'batch'
}

/** A tool is about to run with these arguments. Stored before an unsafe tool starts. */
export interface ToolStarted {
  readonly type: 'tool-started'
  readonly callId: string
  readonly toolName: string
  readonly input: JsonValue
  /** The model's own arguments, where a hook or a person changed them. */
  readonly modelInput?: JsonValue
  /** The same over every attempt of this call. */
  readonly idempotencyKey: string
  readonly attempt: number
}

/** What became of a call. `late`: it came after the transcript had been answered, and changes nothing. */
export interface ToolSettled {
  readonly type: 'tool-settled'
  readonly callId: string
  readonly toolName: string
  readonly status: ToolStatus
  readonly result: CallToolResult
  readonly startedAt?: number
  readonly durationMs?: number
  readonly late?: true
  /** What a hook of this call ends the turn with, once the batch is answered. */
  readonly ends?: Outcome
  /** What a hook of this call wants the model to read after the results. */
  readonly feedback?: string
}

/** The turn waits for a person's decision about a call. */
export interface ApprovalRequested extends PendingRequest {
  readonly type: 'approval-requested'
}

/** A person, or what stands for one, decided. */
export interface ApprovalDecided {
  readonly type: 'approval-decided'
  readonly id: string
  readonly allow: boolean
  readonly input?: JsonValue
  readonly result?: CallToolResult
  readonly note?: string
  readonly by: string
}

/** A JSON merge patch (RFC 7396) of the session state. */
export interface StateChanged {
  readonly type: 'state-changed'
  readonly patch: JsonObject
}

/** Hides messages and shows others in place of the first hidden one. Reversible: the log keeps the originals. */
export interface OverlayAdded {
  readonly type: 'overlay'
  readonly id: string
  readonly by: 'compaction' | 'rewrite' | 'retraction'
  /** Sequence ranges of `message` entries, both ends included. */
  readonly hides: readonly (readonly [from: number, to: number])[]
  readonly shows: readonly Message[]
  /** What making it cost. */
  readonly usage?: Usage
}

/** An overlay was taken back: what it hid shows again. */
export interface OverlayUndone {
  readonly type: 'overlay-undone'
  readonly id: string
}

/** Everything after sequence `to` and before this entry is out of the transcript; the log keeps it. */
export interface Rewound {
  readonly type: 'rewound'
  readonly to: number
}

/** The session itself changed: its title, or where it came from. */
export interface SessionChanged {
  readonly type: 'session-changed'
  readonly title?: string
  readonly forkedFrom?: { readonly sessionId: string; readonly sequence: number }
}

/** Entries were replaced by what is left of them, for good: the only edit that a log knows. */
export interface EntriesErased {
  readonly type: 'erased'
  /** `'erase'`: somebody asked for a message to be gone. `'shorten'`: what no transcript shows went, for want of room. */
  readonly why: 'erase' | 'shorten'
  readonly sequences: readonly number[]
  /** Of the messages that are gone, for overlays that show them. */
  readonly ids: readonly string[]
  /** Overlays among them that hide and show nothing from now on. */
  readonly voided: readonly number[]
}

/** Somebody stopped the turn, or its time was over. Whatever is cut from here on, it is only brought to its end. */
export interface StopRequested {
  readonly type: 'stop-requested'
  /** As in the outcome. */
  readonly reason: JsonValue
  /** The limit of the whole turn, where that is what stopped it. */
  readonly turnMs?: number
}

/** The run ended without the turn ending: it waits for decisions. */
export interface TurnPaused {
  readonly type: 'turn-paused'
  readonly pending: readonly PendingRequest[]
}

/** The turn is over. Nothing of it follows, apart from late results. */
export interface TurnEnded {
  readonly type: 'turn-ended'
  readonly outcome: Outcome
  readonly output?: JsonValue
  readonly usage: Usage
  /** Settled batches. */
  readonly iterations: number
  readonly hookErrors?: readonly HookError[]
  readonly evals?: readonly EvalResult[]
  /** `false` voids the `state-changed` entries of this turn. */
  readonly commitState?: boolean
}

/** Whether an event is a stored fact, and so an entry of the log, rather than a live one. */
export function isEntry(event: { readonly type: string }): event is Entry {
  return 'sequence' in event
}

/** Whether an event belongs to an agent that ran as a tool, and so to no conversation of its own. */
export function isNested(event: { readonly path?: readonly string[] }): boolean {
  return event.path !== undefined && event.path.length > 0
}

/** Whether an entry is of a kind that is not known here and says of itself that it cannot be skipped. */
export function isUnreadable(entry: Entry): boolean {
  return entry.critical === true && !(entry.type in KINDS)
}

const KINDS: { readonly [Kind in Entry['type']]: true } = {
  'turn-started': true,
  message: true,
  note: true,
  checkpoint: true,
  'tool-started': true,
  'tool-settled': true,
  'approval-requested': true,
  'approval-decided': true,
  'state-changed': true,
  overlay: true,
  'overlay-undone': true,
  rewound: true,
  'session-changed': true,
  erased: true,
  'stop-requested': true,
  'turn-paused': true,
  'turn-ended': true,
}
