import type { Entry } from './entries.ts'
import type { Growth } from './growth.ts'
import type { AssistantMessage, ToolResult } from './messages.ts'
import type { CallView, Snapshot, TurnView } from './snapshot.ts'

/** A whole reply fixes its calls: those that were only growing and are not in it have never been made. */
export function addCalls(snapshot: Snapshot, reply: AssistantMessage, growth: Growth): Snapshot {
  let next = snapshot
  for (const part of reply.content) {
    if (part.type === 'tool-call') {
      const { callId, toolName, inputText } = part
      const state = part.providerExecuted ? 'running' : 'waiting'
      const provider = part.providerExecuted && { providerExecuted: true as const }
      next = changeCall(next, callId, { toolName, inputText, state, ...provider }, growth)
    }
    if (part.type === 'provider-result')
      next = changeCall(next, part.callId, { toolName: part.toolName, state: 'settled' }, growth)
  }
  return closeCalls(next, 'growing', growth)
}

/** What became of a call. */
export function settleCall(
  snapshot: Snapshot,
  entry: Extract<Entry, { type: 'tool-settled' }>,
  growth: Growth,
): Snapshot {
  const { callId, toolName, status, result, startedAt, durationMs } = entry
  const settled: ToolResult = {
    callId,
    toolName,
    status,
    result,
    ...(startedAt !== undefined && { startedAt }),
    ...(durationMs !== undefined && { durationMs }),
  }
  return changeCall(snapshot, callId, { toolName, state: 'settled', result: settled }, growth)
}

/** What is shown as growing, or as anything but settled, has come to its end. */
export function closeCalls(snapshot: Snapshot, which: 'growing' | 'all', growth: Growth): Snapshot {
  let next = snapshot
  for (const callId of snapshot.turn?.openCalls ?? []) {
    const isGrowing = snapshot.calls.get(callId)?.state === 'input-streaming'
    if (which === 'all' || isGrowing) next = changeCall(next, callId, { state: 'settled' }, growth)
  }
  return next
}

/** A call as it stands, changed. */
export function changeCall(snapshot: Snapshot, callId: string, change: Partial<CallView>, growth: Growth): Snapshot {
  const before = snapshot.calls.get(callId)
  // A page that comes in on a running turn may hear of a call before it has read of the turn.
  const turnId = before?.turnId || (snapshot.turn?.id ?? '')
  const fresh = { callId, toolName: '', state: 'waiting', inputText: '' } as const
  const call = { ...(before ?? fresh), ...change, turnId }
  const next = { ...snapshot, calls: growth.set(snapshot.calls, callId, call) }
  return call.turnId === snapshot.turn?.id ? { ...next, turn: withCall(snapshot.turn, call) } : next
}

/** Keep book of what has not settled, so that the end of a turn need not look through the calls of all turns. */
function withCall(turn: TurnView, { callId, state }: CallView): TurnView {
  const isListed = turn.openCalls.includes(callId)
  if (isListed === (state !== 'settled')) return turn
  const openCalls = isListed ? turn.openCalls.filter((id) => id !== callId) : [...turn.openCalls, callId]
  return { ...turn, openCalls }
}
