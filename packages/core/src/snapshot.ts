import type { ErrorRecord, TurnloopErrorCode } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { AssistantMessage, Message, ToolResult } from './messages.ts'
import type { Outcome, PendingRequest } from './outcome.ts'
import type { QueuedInput } from './session-store.ts'
import type { TranscriptSource } from './transcript.ts'
import type { Usage } from './usage.ts'

/** Everything a person can see of a session, immutable. What did not change keeps its identity. */
export interface Snapshot {
  readonly status: SessionStatus
  /** What the running turn is waiting for. */
  readonly activity?: Activity
  /** The transcript, or the last part of it: closed messages, each the same object for ever. */
  readonly messages: readonly Message[]
  /** The reply that is growing. Until it is whole it counts as `partial`. */
  readonly open?: AssistantMessage
  /** The calls of what is known of the log, by call id: of every message that is shown, and maybe of more. */
  readonly calls: ReadonlyMap<string, CallView>
  readonly pending: readonly PendingRequest[]
  readonly queue: readonly QueuedInput[]
  readonly turn?: TurnView
  /** A turn that a reload or crash cut waits for `resume()`. */
  readonly resumable?: true
  /** How the last turn ended or paused. */
  readonly outcome?: Outcome
  /** The structured answer of the last turn, as JSON, until another turn starts or a rewind leaves it behind. */
  readonly output?: JsonValue
  /** Of the whole session. */
  readonly usage: Usage
  readonly state: JsonObject
  readonly title?: string
  /** The state after each entry that changed it, so that a rewind can go back to it. */
  readonly states: readonly LoggedState[]
  readonly error?: ErrorRecord
  readonly storage: StorageStatus
  /** `'follower'` while another page drives. */
  readonly role: 'driver' | 'follower'
  /** Older messages are not shown, and may not have been read: `loadEarlier()` brings them. */
  readonly hasEarlier: boolean
  /** What the transcript is derived from; for the reducer and for tools that show the log. */
  readonly source: TranscriptSource
}

/** What the state was from an entry on. */
export interface LoggedState {
  readonly sequence: number
  readonly state: JsonObject
}

/** `cancelling` from the moment of Stop to the end of the turn; `awaiting` while a person has to decide. */
export type SessionStatus = 'loading' | 'idle' | 'running' | 'cancelling' | 'awaiting' | 'closed'

/** What a running turn is doing, and since when. */
export interface Activity {
  readonly kind: 'starting' | 'model' | 'tools' | 'hook' | 'retry-wait' | 'compaction'
  /** Epoch ms. */
  readonly since: number
}

/** The running turn. */
export interface TurnView {
  readonly id: string
  /** Settled batches so far. */
  readonly iteration: number
  readonly startedAt: number
  /** `false`: it joins no later request. */
  readonly history: boolean
  /** The session's state when it began. */
  readonly stateBefore: JsonObject
  /** Its calls that have not settled yet, in the order they came. */
  readonly openCalls: readonly string[]
}

/** One tool call as it stands. */
export interface CallView {
  readonly callId: string
  readonly toolName: string
  readonly turnId: string
  readonly state: 'input-streaming' | 'waiting' | 'awaiting' | 'running' | 'settled'
  /** The arguments as the model wrote them, growing while they stream. */
  readonly inputText: string
  /** The arguments it ran with. */
  readonly input?: JsonValue
  readonly progress?: JsonValue
  readonly result?: ToolResult
  readonly startedAt?: number
  readonly providerExecuted?: true
}

/**
 * Whether the conversation is being kept. `ready`: all of it is saved. `degraded`: some of it waits in memory and is
 * tried again. `full`: no room. `blocked`: the store is there and cannot be written. `lost`: another tab has taken over
 * or the stored log is gone. `memory`: nothing is kept past this page, by choice.
 */
export interface StorageStatus {
  readonly state: 'ready' | 'degraded' | 'full' | 'blocked' | 'lost' | 'memory'
  readonly reason?: TurnloopErrorCode
  readonly message?: string
  /** Entries that are not saved yet. */
  readonly waiting: number
  /** Of `full`: how much this origin stores, and may store, where the browser tells. */
  readonly usedBytes?: number
  readonly quotaBytes?: number
  /** Of a value that cannot be stored: where it stands. */
  readonly path?: string
  /** Pages that share the store cannot share the session: there is no lock or no channel. The last to start a turn has it. */
  readonly isUnshared?: true
  /** The browser has deleted what was stored: there were sessions, and the store was found empty. */
  readonly wasEvicted?: true
}
