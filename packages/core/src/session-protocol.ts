import type { Checkpoint } from './checkpoint.ts'
import type { ErrorRecord } from './errors.ts'
import type { CompactionReport, ShortenReport, TurnEvent } from './events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { UserMessage, UserPart } from './messages.ts'
import type { Decision } from './outcome.ts'
import type { QueuedInput } from './session-store.ts'
import type { Snapshot } from './snapshot.ts'
import type { TurnFacts } from './turn-options.ts'
import type { TurnResult } from './turn-result.ts'

/** Pages only listen to their own version: what another one says might mean something else. */
const VERSION = 1

/** What pages that have one session open say to each other. Plain data, over any channel that keeps the order. */
export type SessionMessage = {
  readonly version: typeof VERSION
  /** The page that says it. */
  readonly from: string
} & SessionMessageBody

/** What a message says, by kind. */
export type SessionMessageBody =
  /** A page wants to follow, and knows the log up to here. */
  | { readonly kind: 'hello'; readonly after: number }
  /** A page follows no longer. */
  | { readonly kind: 'bye' }
  | DriverMessage
  /** To whoever drives. `isAgain`: another page may have done it already. */
  | { readonly kind: 'command'; readonly id: string; readonly command: Command; readonly isAgain: boolean }
  /** The driver has taken a command. */
  | { readonly kind: 'ack'; readonly id: string }
  /** What came of a command, once the log has come to `after`. */
  | { readonly kind: 'done'; readonly id: string; readonly after: number; readonly end: CommandEnd }

/** What a page says because it drives. Of two drivers the one with the higher fence is believed. */
export type DriverMessage = Term &
  (
    | { readonly kind: 'driving' }
    /** It has let go, with nothing left to do; the log ends at `last`. */
    | { readonly kind: 'released'; readonly last: number }
    /** All that a page needs to follow from where it stands. */
    | { readonly kind: 'state'; readonly to: string; readonly events: readonly TurnEvent[]; readonly shown: Shown }
    /** What happened since, for those whose log stands at `after`. */
    | {
        readonly kind: 'news'
        readonly after: number
        readonly events: readonly TurnEvent[]
        readonly shown?: Shown
      }
  )

/** One page's time as the driver. */
export interface Term {
  readonly term: string
  readonly fence: number
  /** Where the stored log ended when it began: what a follower has beyond that, from another driver, was never stored. */
  readonly base: number
}

/** What followers show that does not follow from events. */
export type Shown = Pick<Snapshot, 'status' | 'queue' | 'storage'> & {
  readonly activity: Snapshot['activity'] | undefined
}

/** Something to do with a session, as plain data: any page can ask the driver for it. */
export type Command =
  | {
      readonly name: 'send'
      readonly input: QueuedInput
      readonly isReplacing: boolean
      /** It joins the turn that runs, if there is one. */
      readonly isSteering?: boolean
      /** What the turn is told; `extra` stays in the page it came from. */
      readonly facts?: Omit<TurnFacts, 'extra'>
    }
  /** Give up one input, waiting or running. */
  | { readonly name: 'drop'; readonly turnId: string; readonly reason: JsonValue }
  | { readonly name: 'cancel'; readonly turnId: string | undefined; readonly reason: unknown }
  | { readonly name: 'resume'; readonly turnId: string }
  /** With `to`: in place of what came after that sequence. */
  | { readonly name: 'retry'; readonly turnId: string; readonly to?: number }
  | { readonly name: 'decide'; readonly decision: Decision }
  | { readonly name: 'compact'; readonly focus: string | undefined }
  | { readonly name: 'preview-compaction' }
  | { readonly name: 'undo-compaction' }
  | { readonly name: 'set-state'; readonly patch: JsonObject }
  | { readonly name: 'rewind'; readonly checkpoint: Checkpoint }
  | { readonly name: 'erase'; readonly messageId: string }
  | { readonly name: 'shorten'; readonly olderThanMs: number }
  | { readonly name: 'note'; readonly message: UserMessage }
  | { readonly name: 'rename'; readonly title: string }
  | { readonly name: 'edit-queued'; readonly id: string; readonly content: readonly UserPart[] }
  | { readonly name: 'remove-queued'; readonly id: string }

/** What a command gives back: of one that asks for a turn, its result. */
export interface CommandResult {
  readonly turn?: TurnResult
  /** The messages of that are only those that this page knew. */
  readonly isPart?: true
  readonly report?: CompactionReport
  readonly shortened?: ShortenReport
}

/** The same between pages: the transcript, and what a schema made, are read from the log. */
export type CommandEnd =
  | {
      readonly turn?: Omit<TurnResult, 'messages' | 'output' | 'resume'>
      readonly report?: CompactionReport
      readonly shortened?: ShortenReport
    }
  | { readonly error: ErrorRecord }

/** Put a message in its envelope. */
export function toMessage(from: string, body: SessionMessageBody): SessionMessage {
  return { version: VERSION, from, ...body }
}

/** Read what came over a channel; `undefined` for what is not of this protocol and version. */
export function readMessage(data: unknown): SessionMessage | undefined {
  if (!isJsonObject(data) || data.version !== VERSION || typeof data.from !== 'string') return undefined
  // Only pages of one origin and one version speak here, and they send what the type says.
  return data as unknown as SessionMessage
}

/** Whether a message comes from a page because it drives. */
export function isFromDriver(message: SessionMessage): message is Extract<SessionMessage, DriverMessage> {
  return 'term' in message
}
