import type { Clock } from './clock.ts'
import type { SessionBlobs } from './session-blobs.ts'
import type { QueuedInput, SessionStore } from './session-store.ts'
import type { SessionView } from './session-view.ts'

/** What a session's storage is made of. */
export interface SessionStorageOptions {
  readonly sessionId: string
  readonly store: SessionStore
  readonly clock: Clock
  readonly saveTimeoutMs: number
  readonly view: SessionView
  readonly blobs: SessionBlobs
  /** There is nothing by which pages could share the session. */
  readonly isUnshared: boolean
  /** What the app does about a full disk. */
  readonly makeRoom: (() => unknown) | undefined
  /** The inputs that have not joined the log yet. */
  queue(): readonly QueuedInput[]
  /** Whether the growing reply may be stored: not before it was judged. */
  keepsOpen(): boolean
  /** Inputs that were found waiting in the store. */
  onQueue(inputs: readonly QueuedInput[]): void
  /** Another page has taken over. */
  onStale(): void
}
