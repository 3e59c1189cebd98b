import type { Entry } from './entries.ts'
import type { TurnEvent } from './events.ts'
import type { PendingRequest } from './outcome.ts'
import type { Snapshot } from './snapshot.ts'

/** Of an agent that runs as a tool, only what people are asked is shown beside its call. */
export function reduceNested(snapshot: Snapshot, event: TurnEvent): Snapshot {
  if (event.type === 'approval-requested') return addRequest(snapshot, event)
  if (event.type === 'approval-decided') return dropRequest(snapshot, event.id)
  return event.type === 'tool-started' || event.type === 'tool-settled'
    ? dropRequestsOf(snapshot, event.callId)
    : snapshot
}

/** The snapshot with one more thing that people are asked, in place of what they were asked about the same call before. */
export function addRequest(snapshot: Snapshot, entry: Extract<Entry, { type: 'approval-requested' }>): Snapshot {
  const { id, callId, toolName, ask, input, inputHash, attempt, path } = entry
  if (snapshot.pending.some((request) => request.id === id)) return snapshot
  const more = { ...(attempt !== undefined && { attempt }), ...(path !== undefined && { path }) }
  const request = { id, callId, toolName, ask, input, inputHash, ...more }
  return { ...snapshot, pending: [...snapshot.pending.filter((before) => before.callId !== callId), request] }
}

/** The snapshot without a request that has been decided: its turn goes on. */
export function dropRequest(snapshot: Snapshot, id: string): Snapshot {
  const next = keepRequests(snapshot, (request) => request.id !== id)
  if (next === snapshot) return snapshot
  const { outcome, ...rest } = next
  const status = rest.status === 'awaiting' ? 'running' : rest.status
  return { ...rest, status, ...(outcome !== undefined && outcome.kind !== 'awaiting' && { outcome }) }
}

/** The snapshot without what was asked about a call, or inside it: it runs, or is answered, without that. */
export function dropRequestsOf(snapshot: Snapshot, callId: string): Snapshot {
  return keepRequests(snapshot, (request) => request.callId !== callId && !request.path?.includes(callId))
}

function keepRequests(snapshot: Snapshot, isKept: (request: PendingRequest) => boolean): Snapshot {
  if (snapshot.pending.every(isKept)) return snapshot
  return { ...snapshot, pending: snapshot.pending.filter(isKept) }
}
