import type { BlobStore } from './blob-store.ts'
import type { Entry } from './entries.ts'
import type { JsonObject } from './json.ts'
import type { AssistantMessage, UserPart } from './messages.ts'
import type { SessionChannel } from './session-channel.ts'
import type { SessionLock } from './session-lock.ts'
import type { Usage } from './usage.ts'

/**
 * Where sessions live: an append-only log per session and two small records beside it.
 *
 * Everything is plain data. Every method may be called from several tabs at once. Throws `StorageError`. What has a `?` a
 * store may lack; who uses it does without then.
 */
export interface SessionStore {
  /**
   * Become the writer of a session: raise its fence and say where its log ends, in one atomic step.
   *
   * A session that does not exist has `lastSequence` 0. Call before reading what is to be continued. No fence is given
   * twice, not even after `remove`.
   */
  claim(sessionId: string): Promise<Claim>
  /**
   * Add entries to the end of a session, and replace `head` and `open` where given, all or nothing.
   *
   * Resolves when it is durable and readable from every tab. The first sequence must be last + 1, or it throws
   * `conflict`; entries that are already there unchanged resolve, so a retry after a lost answer is safe. (A retry that
   * the log has gone past since writes nothing, `head` and `open` neither.) Throws `stale-fence` if `fence` is not that
   * of the last claim, or the session was removed since; `quota-exceeded`, `not-cloneable` (`facts.path` names the
   * value), `blocked-by-other-tab`, `newer-version`, `storage-unavailable`: with these, as with `conflict`, nothing was
   * written; `disconnected`: it may have been. `entries` may be empty.
   */
  append(sessionId: string, entries: readonly Entry[], options?: AppendOptions): Promise<void>
  /** Entries in ascending order. `limit` takes the first after `after`, or, without `after`, the last before `before`. */
  read(sessionId: string, options?: ReadOptions): Promise<Entry[]>
  head(sessionId: string): Promise<SessionHead | undefined>
  /** The reply that was growing when the session was last saved. */
  open(sessionId: string): Promise<OpenReply | undefined>
  /** All heads, newest `updatedAt` first. Reads no log. */
  list(): Promise<SessionHead[]>
  /** Erase a session, its log and its claims, and the blobs that no other session holds. What is not there is no error. */
  remove(sessionId: string): Promise<void>
  /**
   * As `append`, for a page that may be gone before anything can be waited for: in a task of `pagehide`.
   *
   * What is saved is there after the next `claim`, and for a page that opens the store later. Give all that is not known to
   * be stored: each call stands in for the one before, and an append that is asked for later makes it void. It is all or
   * nothing, and nothing where the entries do not go on where the log ends, where the fence is not that of the last
   * claim, where the session was removed, where a value has no copy, or where the store is not open. Nobody hears which,
   * and it never throws.
   */
  saveNow?(sessionId: string, save: LastSave): void
  /** Calls back in each task in which the page may be about to go: the time for `saveNow`. The returned function ends that. */
  whenLeaving?(listener: () => void): () => void
  /**
   * Put other entries in the place of stored ones of the same sequences, add those of `options.append` as `append` does, and
   * replace `head` and `open` where given, all or nothing: the only edit that a log permits.
   *
   * For tombstones: to erase what was said, or to drop what no transcript shows any more, when room is short. A later
   * `append` that holds one of the old entries is a `conflict`. Throws what `append` throws; `conflict` if the log has no
   * entry of one of the sequences. Links to blobs stay: see `BlobStore.retain`.
   */
  rewrite?(sessionId: string, entries: readonly Entry[], options?: RewriteOptions): Promise<void>
  /** Where large values live, apart from the log. Absent also where the browser cannot hash: in pages without https. */
  readonly blobs?: BlobStore | undefined
  /** How much is stored, and how safe it is, as far as it is known. Never rejects. */
  usage?(): Promise<StoreUsage>
  /**
   * Ask that what is stored be kept when space runs short. Resolves with whether it will be; `false` is a normal answer.
   * Some browsers ask the user, so call it on a click. Never rejects.
   */
  requestPersistence?(): Promise<boolean>
  /** Calls `onChange` when some session was written or removed, by any tab where the store can tell. */
  subscribe?(onChange: (sessionId: string) => void): () => void
  /** With both of these, the pages that share the store share each session: one drives it, the others follow. */
  readonly lock?: SessionLock | undefined
  readonly channel?: SessionChannel | undefined
}

/** What a claim gives: the fence to write with, and where the log ends. */
export interface Claim {
  readonly fence: number
  readonly lastSequence: number
}

/** Options of `append`. */
export interface AppendOptions {
  readonly fence?: number
  readonly head?: SessionHead
  /** `null` erases it. */
  readonly open?: OpenReply | null
  /** Ask for a write that survives a power cut, where the store knows the difference. */
  readonly strict?: boolean
}

/** Options of `rewrite`. */
export interface RewriteOptions extends AppendOptions {
  /** What joins the end of the log in the same step, so that whoever reads it learns what was rewritten. */
  readonly append?: readonly Entry[]
}

/** What a page that goes wants saved. */
export interface LastSave extends Omit<AppendOptions, 'strict'> {
  readonly entries: readonly Entry[]
  readonly fence: number
}

/** How full a store is, and how safe. What the browser does not tell is absent. */
export interface StoreUsage {
  /** Of everything this origin stores, as the browser guesses it. */
  readonly usedBytes?: number
  readonly quotaBytes?: number
  /** Whether the browser has promised not to delete it on its own. */
  readonly isPersistent?: boolean
  /** The store held sessions and was found empty when this page opened it: the browser has deleted them. */
  readonly wasEvicted?: true
}

/** Which entries to read. All of them without options. */
export interface ReadOptions {
  readonly after?: number
  readonly before?: number
  readonly limit?: number
}

/** What a list of sessions shows, and where a session stands. Can be rebuilt from the log, its queue apart. */
export interface SessionHead {
  readonly id: string
  readonly title?: string
  /** Somebody gave it that title; else it is the first line of the first question. */
  readonly isNamed?: true
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSequence: number
  /** Of the claim with which it was written. */
  readonly fence?: number
  /** Turns started. */
  readonly turns: number
  /** The turn that has not ended. */
  readonly openTurnId?: string
  readonly state: JsonObject
  readonly usage: Usage
  /** Inputs that were accepted and have not joined the log yet. */
  readonly queue: readonly QueuedInput[]
  /** They wait for somebody to send something, also while the session is open: somebody pressed Stop, or has to decide. */
  readonly isQueueHeld?: true
}

/** An input that waits for its turn. */
export interface QueuedInput {
  /** The id its user message will have. */
  readonly id: string
  readonly turnId: string
  readonly createdAt: number
  readonly content: readonly UserPart[]
  /** The turn that it joins before the model is asked again, as long as that runs. */
  readonly steers?: string
  /** It takes the place of what came after this sequence: that is left behind when its turn starts. */
  readonly goesBackTo?: number
}

/** A reply that was growing, and the turn it belongs to. */
export interface OpenReply {
  readonly turnId: string
  readonly message: AssistantMessage
}
