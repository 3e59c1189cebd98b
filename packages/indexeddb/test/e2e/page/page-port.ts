import type { Entry, SessionHead, Snapshot } from '@turnloop/core'

/** What a write of the page's store does in place of writing. `lost` writes and loses the answer; `hangs` never answers. */
export type WriteFault = 'refused' | 'full' | 'lost' | 'hangs'

/** How a conversation is opened. */
export interface Opening {
  readonly id: string
  /** Which writes go wrong, counted from 1 over claims and appends; `to` included. */
  readonly fault?: { readonly kind: WriteFault; readonly from: number; readonly to?: number }
  readonly saveTimeoutMs?: number
  readonly toolExecution?: 'parallel' | 'sequential'
}

/** What a conversation came to. */
export interface Report {
  /** All that the session knows. */
  readonly entries: readonly Entry[]
  /** All that the database holds, read past the session. */
  readonly stored: readonly Entry[]
  readonly snapshot: Pick<Snapshot, 'status' | 'outcome' | 'messages' | 'storage'>
  /** What `checkHistory` has against the transcript, and against what the model was asked. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** What the page does for the test that has it open. */
export interface PagePort {
  /** Open a conversation; resolves with what the database held of it before. */
  open(opening: Opening): Promise<readonly Entry[]>
  /** Say something; does not wait for the answer. */
  send(id: string, text: string): void
  /** Resolves when nothing goes on and the storage has settled on something. */
  ended(id: string): Promise<Report>
  /** The store's writes work again. */
  mend(id: string): void
  /** Save what waits. */
  flush(id: string): Promise<void>
  list(): Promise<readonly SessionHead[]>
  remove(id: string): Promise<void>
}

declare global {
  interface Window {
    port: PagePort
  }
}
