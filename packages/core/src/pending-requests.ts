import type { Entry } from './entries.ts'
import type { Snapshot } from './snapshot.ts'

/** The snapshot with one more thing that people are asked. */
export function addRequest(snapshot: Snapshot, entry: Extract<Entry, { type: 'approval-requested' }>): Snapshot {
  const { id, callId, toolName, ask, input, inputHash, path } = entry
  if (snapshot.pending.some((request) => request.id === id)) return snapshot
  const request = { id, callId, toolName, ask, input, inputHash, ...(path !== undefined && { path }) }
  return { ...snapshot, pending: [...snapshot.pending, request] }
}

/** The snapshot without a request that has been decided. */
export function dropRequest(snapshot: Snapshot, id: string): Snapshot {
  const pending = snapshot.pending.filter((request) => request.id !== id)
  if (pending.length === snapshot.pending.length) return snapshot
  const { outcome, ...rest } = snapshot
  return { ...rest, ...(outcome !== undefined && outcome.kind !== 'awaiting' && { outcome }), pending }
}
