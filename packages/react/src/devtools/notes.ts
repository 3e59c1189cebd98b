import type { LiveEvent, StorageStatus, TurnEvent } from '@turnloop/core'

/** What the panel keeps of a session that no log does: live events apart from those that grow, and how saving went. */
export type Note = NotedEvent | StorageNote

/** A live event that is kept. */
export type NotedEvent = Exclude<LiveEvent, { type: Growing }>

/** Another state of the storage. */
export interface StorageNote {
  readonly type: 'storage'
  /** The turn that was running, or had run last. */
  readonly turnId: string | undefined
  /** Epoch ms. */
  readonly at: number
  readonly after: number
  readonly storage: StorageStatus
}

type Growing = 'text-delta' | 'reasoning-delta' | 'tool-input-delta' | 'tool-progress' | 'partial-output'

const GROWING: ReadonlySet<string> = new Set<Growing>([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-progress',
  'partial-output',
])

/** Whether an event is worth a note: not an entry, which the log has, and not one of thousands. */
export function isNoted(event: TurnEvent): event is NotedEvent {
  return !('sequence' in event) && !GROWING.has(event.type)
}
