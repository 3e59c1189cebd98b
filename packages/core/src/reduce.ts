import { type Entry, isEntry, type StoredMessage, type TurnEnded } from './entries.ts'
import type { LiveEvent, LiveEventBody, TurnEvent } from './events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { LayeredMap } from './layered-map.ts'
import type { AssistantMessage, AssistantPart, Message } from './messages.ts'
import type { Activity, CallView, Snapshot } from './snapshot.ts'
import { EMPTY_SOURCE, isPlain, type LoggedMessage, shownMessages, type TranscriptSource } from './transcript.ts'
import { joinResults } from './turn-fold.ts'
import { addUsage } from './usage.ts'

/** A session of which nothing is known yet. */
export const EMPTY_SNAPSHOT: Snapshot = Object.freeze({
  status: 'idle',
  messages: [],
  calls: new LayeredMap<string, CallView>(),
  pending: [],
  queue: [],
  usage: {},
  state: {},
  storage: { state: 'memory', waiting: 0 },
  role: 'driver',
  hasEarlier: false,
  source: EMPTY_SOURCE,
} satisfies Snapshot)

/**
 * The snapshot after one more event. Pure; what the event does not touch keeps its identity, an event that changes
 * nothing gives the same snapshot back, and a delta costs no more than itself. Unknown kinds are skipped.
 */
export function reduce(snapshot: Snapshot, event: TurnEvent): Snapshot {
  // A sub-agent's events are shown with the call that runs it, never in the conversation.
  if (event.path !== undefined && event.path.length > 0) return snapshot
  return isEntry(event) ? reduceEntry(snapshot, event) : reduceLive(snapshot, event)
}

function reduceEntry(snapshot: Snapshot, entry: Entry): Snapshot {
  switch (entry.type) {
    case 'turn-started':
      return startTurn(snapshot, entry)
    case 'message':
      return addMessage(snapshot, entry)
    case 'tool-started':
      return withActivity(
        changeCall(snapshot, entry.callId, { state: 'running', input: entry.input, startedAt: entry.at }),
        'tools',
        entry.at,
      )
    case 'tool-settled':
      return entry.late ? snapshot : settleCall(snapshot, entry)
    case 'turn-ended':
      return endTurn(snapshot, entry)
    case 'turn-paused':
      return {
        ...without(snapshot, 'activity'),
        status: 'awaiting',
        pending: entry.pending,
        outcome: { kind: 'awaiting', pending: entry.pending },
      }
    case 'state-changed':
      return { ...snapshot, state: mergePatch(snapshot.state, entry.patch) }
    case 'session-changed':
      return entry.title === undefined ? snapshot : { ...snapshot, title: entry.title }
    case 'overlay':
      return withSource(snapshot, { ...snapshot.source, overlays: [...snapshot.source.overlays, entry] })
    case 'overlay-undone':
      return withSource(snapshot, {
        ...snapshot.source,
        overlays: snapshot.source.overlays.filter((overlay) => overlay.id !== entry.id),
      })
    case 'rewound':
      return withSource(snapshot, {
        ...snapshot.source,
        rewinds: [...snapshot.source.rewinds, { to: entry.to, at: entry.sequence }],
      })
    default:
      return snapshot
  }
}

function startTurn(snapshot: Snapshot, entry: Extract<Entry, { type: 'turn-started' }>): Snapshot {
  const { outcome: _outcome, error: _error, open: _open, ...rest } = snapshot
  return {
    ...rest,
    status: 'running',
    pending: [],
    activity: { kind: 'starting', since: entry.at },
    turn: { id: entry.turnId ?? '', iteration: 0, startedAt: entry.at, history: entry.history },
  }
}

function addMessage(snapshot: Snapshot, entry: Extract<Entry, { type: 'message' }>): Snapshot {
  const message = joinStored(snapshot, entry.message)
  const logged: LoggedMessage = {
    sequence: entry.sequence,
    message,
    ...(snapshot.turn?.history === false && { detached: true as const }),
    ...(entry.blocked !== undefined && { blocked: true as const }),
  }
  const source = { ...snapshot.source, messages: [...snapshot.source.messages, logged] }
  const next = isPlain(source)
    ? { ...snapshot, source, messages: [...snapshot.messages, message] }
    : withSource(snapshot, source)
  if (message.role === 'assistant') return addCalls(without(next, 'open'), message)
  if (message.role !== 'tool' || next.turn === undefined) return next
  return { ...next, turn: { ...next.turn, iteration: next.turn.iteration + 1 } }
}

function joinStored(snapshot: Snapshot, stored: StoredMessage): Message {
  return stored.role === 'tool' ? joinResults(stored, (callId) => snapshot.calls.get(callId)?.result) : stored
}

/** A whole reply fixes its calls: those that were only growing and are not in it have never been made. */
function addCalls(snapshot: Snapshot, reply: AssistantMessage): Snapshot {
  let next = snapshot
  for (const part of reply.content) {
    if (part.type === 'tool-call') {
      const { callId, toolName, inputText } = part
      const state = part.providerExecuted ? 'running' : 'waiting'
      next = changeCall(next, callId, {
        toolName,
        inputText,
        state,
        ...(part.providerExecuted && { providerExecuted: true as const }),
      })
    }
    if (part.type === 'provider-result')
      next = changeCall(next, part.callId, { toolName: part.toolName, state: 'settled' })
  }
  return next
}

function settleCall(snapshot: Snapshot, entry: Extract<Entry, { type: 'tool-settled' }>): Snapshot {
  const { callId, toolName, status, result, startedAt, durationMs } = entry
  return changeCall(snapshot, callId, {
    toolName,
    state: 'settled',
    result: {
      callId,
      toolName,
      status,
      result,
      ...(startedAt !== undefined && { startedAt }),
      ...(durationMs !== undefined && { durationMs }),
    },
  })
}

function endTurn(snapshot: Snapshot, entry: TurnEnded & { readonly turnId?: string }): Snapshot {
  const { activity: _activity, turn: _turn, open: _open, ...rest } = snapshot
  const ended: Snapshot = {
    ...rest,
    status: 'idle',
    pending: [],
    outcome: entry.outcome,
    usage: addUsage(snapshot.usage, entry.usage),
    ...(entry.outcome.kind === 'failed' && { error: entry.outcome.error }),
  }
  return closeCalls(ended, entry.turnId)
}

/** Whatever was still shown as growing or running has come to its end with the turn. */
function closeCalls(snapshot: Snapshot, turnId: string | undefined): Snapshot {
  let next = snapshot
  for (const call of snapshot.calls.values()) {
    if (call.turnId === turnId && call.state !== 'settled') next = changeCall(next, call.callId, { state: 'settled' })
  }
  return next
}

function reduceLive(snapshot: Snapshot, event: LiveEvent): Snapshot {
  switch (event.type) {
    case 'model-started':
      return withActivity({ ...snapshot, open: emptyReply(event) }, 'model', event.at)
    case 'text-delta':
    case 'reasoning-delta':
      return growOpen(snapshot, event, (part) =>
        part?.type === 'text' || part?.type === 'reasoning'
          ? { ...part, text: part.text + event.delta }
          : { type: event.type === 'text-delta' ? 'text' : 'reasoning', text: event.delta },
      )
    case 'tool-input-delta':
      return growCall(snapshot, event)
    case 'tool-progress':
      return snapshot.calls.get(event.callId)?.state === 'settled'
        ? snapshot
        : changeCall(snapshot, event.callId, { progress: event.update })
    case 'retry':
      return withActivity(without(snapshot, 'open'), 'retry-wait', event.at)
    default:
      return snapshot
  }
}

function emptyReply(event: LiveEvent & Extract<LiveEventBody, { type: 'model-started' }>): AssistantMessage {
  return {
    id: event.messageId,
    role: 'assistant',
    createdAt: event.at,
    content: [],
    stopReason: 'other',
    modelId: event.modelId,
    partial: true,
  }
}

type Growth = Extract<LiveEventBody, { delta: string }>

function growOpen(
  snapshot: Snapshot,
  event: Growth,
  grow: (part: AssistantPart | undefined) => AssistantPart,
): Snapshot {
  const { open } = snapshot
  if (open?.id !== event.messageId) return snapshot
  const content = [...open.content]
  // Parts that never showed anything (a source, a file) leave a gap until the whole reply comes.
  while (content.length < event.partIndex) content.push({ type: 'text', text: '' })
  content[event.partIndex] = grow(content[event.partIndex])
  return { ...snapshot, open: { ...open, content } }
}

function growCall(snapshot: Snapshot, event: Extract<Growth, { type: 'tool-input-delta' }>): Snapshot {
  const { callId, toolName, delta } = event
  const inputText = (snapshot.calls.get(callId)?.inputText ?? '') + delta
  const provider = event.providerExecuted && { providerExecuted: true as const }
  const grown = growOpen(snapshot, event, () => ({
    type: 'tool-call',
    callId,
    wireId: callId,
    toolName,
    inputText,
    ...provider,
  }))
  if (grown === snapshot) return snapshot
  return changeCall(grown, callId, { toolName, state: 'input-streaming', inputText, ...provider })
}

function changeCall(snapshot: Snapshot, callId: string, change: Partial<CallView>): Snapshot {
  const before = snapshot.calls.get(callId)
  const fresh = { callId, toolName: '', turnId: snapshot.turn?.id ?? '', state: 'waiting', inputText: '' } as const
  // Snapshots are made by this module alone, and their calls are always layered.
  const calls = snapshot.calls as LayeredMap<string, CallView>
  return { ...snapshot, calls: calls.with(callId, { ...(before ?? fresh), ...change }) }
}

function withSource(snapshot: Snapshot, source: TranscriptSource): Snapshot {
  return { ...snapshot, source, messages: shownMessages(source) }
}

function withActivity(snapshot: Snapshot, kind: Activity['kind'], since: number): Snapshot {
  return snapshot.activity?.kind === kind ? snapshot : { ...snapshot, activity: { kind, since } }
}

function without(snapshot: Snapshot, key: 'open' | 'activity'): Snapshot {
  if (snapshot[key] === undefined) return snapshot
  const { [key]: _dropped, ...rest } = snapshot
  return rest
}

/** JSON merge patch, RFC 7396: `null` removes, objects merge, everything else replaces. */
function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, JsonValue | undefined> = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    const before = result[key]
    if (value === null) delete result[key]
    else result[key] = isJsonObject(value) ? mergePatch(isJsonObject(before) ? before : {}, value) : value
  }
  return result
}
