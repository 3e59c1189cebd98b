import { type Entry, isEntry, isNested, type StoredMessage, type TurnEnded } from './entries.ts'
import type { LiveEvent, LiveEventBody, PartDelta, TurnEvent } from './events.ts'
import { byCopy, type Growth, inPlace } from './growth.ts'
import { LayeredMap } from './layered-map.ts'
import { mergePatch } from './merge-patch.ts'
import { type AssistantMessage, type AssistantPart, isNote, type Message } from './messages.ts'
import { addRequest, dropRequest, dropRequestsOf, reduceNested } from './pending-requests.ts'
import { addCalls, changeCall, closeCalls, settleCall } from './reduce-calls.ts'
import { hasEarlier, shownMessages } from './shown-messages.ts'
import type { Activity, CallView, LoggedState, Snapshot } from './snapshot.ts'
import { EMPTY_SOURCE, joinsAtEnd, type LoggedMessage, type TranscriptSource } from './transcript.ts'
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
  states: [],
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
  if (isNested(event)) return reduceNested(snapshot, event)
  return isEntry(event) ? reduceEntry(snapshot, event, byCopy) : reduceLive(snapshot, event)
}

/** The snapshot after many entries: the same as taking them one by one, in time that grows with their number only. */
export function reduceLog(snapshot: Snapshot, entries: readonly Entry[]): Snapshot {
  const growth = inPlace()
  let next = snapshot
  for (const entry of entries) next = isNested(entry) ? reduceNested(next, entry) : reduceEntry(next, entry, growth)
  return next
}

function reduceEntry(snapshot: Snapshot, entry: Entry, growth: Growth): Snapshot {
  switch (entry.type) {
    case 'turn-started':
      return startTurn(snapshot, entry)
    case 'message':
      return addMessage(snapshot, entry, growth)
    case 'note':
      return addToTranscript(snapshot, { sequence: entry.sequence, message: entry.message, detached: true }, growth)
    case 'tool-started': {
      const change = { state: 'running', input: entry.input, startedAt: entry.at } as const
      return withActivity(
        changeCall(dropRequestsOf(snapshot, entry.callId), entry.callId, change, growth),
        'tools',
        entry.at,
      )
    }
    case 'tool-settled':
      return entry.late ? snapshot : settleCall(dropRequestsOf(snapshot, entry.callId), entry, growth)
    case 'approval-requested':
      return changeCall(addRequest(snapshot, entry), entry.callId, { state: 'awaiting', input: entry.input }, growth)
    case 'approval-decided': {
      const asked = snapshot.pending.find(({ id }) => id === entry.id)
      const next = dropRequest(snapshot, entry.id)
      return asked === undefined ? next : changeCall(next, asked.callId, { state: 'waiting' }, growth)
    }
    case 'turn-ended':
      return endTurn(snapshot, entry, growth)
    case 'stop-requested':
      return { ...snapshot, status: 'cancelling' }
    case 'turn-paused':
      return {
        ...without(snapshot, 'activity'),
        status: 'awaiting',
        pending: entry.pending,
        outcome: { kind: 'awaiting', pending: entry.pending },
      }
    case 'state-changed':
      return changeState(snapshot, entry, growth)
    case 'session-changed':
      return entry.title === undefined ? snapshot : { ...snapshot, title: entry.title }
    case 'overlay': {
      const next = withSource(snapshot, changeSource(snapshot, entry))
      // Within a turn its cost is part of the turn's.
      return snapshot.turn !== undefined || entry.usage === undefined
        ? next
        : { ...next, usage: addUsage(next.usage, entry.usage) }
    }
    case 'overlay-undone':
      return withSource(snapshot, changeSource(snapshot, entry))
    case 'rewound':
      return rewind(snapshot, entry, growth)
    default:
      return snapshot
  }
}

function rewind(snapshot: Snapshot, entry: Extract<Entry, { type: 'rewound' }>, growth: Growth): Snapshot {
  const { sequence, to } = entry
  const state = snapshot.states.findLast((logged) => logged.sequence <= to)?.state ?? {}
  const next = withSource(without(snapshot, 'output'), changeSource(snapshot, entry))
  return withState(next, { sequence, state }, growth)
}

function changeSource(
  { source, turn }: Snapshot,
  entry: Extract<Entry, { type: 'overlay' | 'overlay-undone' | 'rewound' }>,
): TranscriptSource {
  const at = entry.sequence
  if (entry.type === 'rewound') return { ...source, rewinds: [...source.rewinds, { to: entry.to, at }] }
  if (entry.type === 'overlay-undone') return { ...source, undone: [...source.undone, { id: entry.id, at }] }
  const { id, hides, shows } = entry
  const overlay = { id, hides, shows, at, ...(turn?.history === false && { detached: true as const }) }
  return { ...source, overlays: [...source.overlays, overlay] }
}

function changeState(
  snapshot: Snapshot,
  { patch, turnId, sequence }: Extract<Entry, { type: 'state-changed' }>,
  growth: Growth,
): Snapshot {
  const next = withState(snapshot, { sequence, state: mergePatch(snapshot.state, patch) }, growth)
  if (turnId !== undefined || next.turn === undefined) return next
  // What is set from outside stays, whatever becomes of the turn.
  return { ...next, turn: { ...next.turn, stateBefore: mergePatch(next.turn.stateBefore, patch) } }
}

function startTurn(snapshot: Snapshot, entry: Extract<Entry, { type: 'turn-started' }>): Snapshot {
  const { outcome: _outcome, output: _output, error: _error, open: _open, ...rest } = snapshot
  return {
    ...rest,
    status: 'running',
    pending: [],
    activity: { kind: 'starting', since: entry.at },
    turn: {
      id: entry.turnId ?? '',
      iteration: 0,
      startedAt: entry.at,
      history: entry.history,
      openCalls: [],
      stateBefore: snapshot.state,
    },
  }
}

function addMessage(snapshot: Snapshot, entry: Extract<Entry, { type: 'message' }>, growth: Growth): Snapshot {
  const message = joinStored(snapshot, entry.message)
  const logged: LoggedMessage = {
    sequence: entry.sequence,
    message,
    ...(snapshot.turn?.history === false && { detached: true as const }),
    ...(entry.blocked !== undefined && { blocked: true as const }),
  }
  const next = addToTranscript(snapshot, logged, growth)
  if (message.role === 'assistant') return addCalls(without(next, 'open'), message, growth)
  if (message.role !== 'tool' || next.turn === undefined || !answersBatch(snapshot)) return next
  return { ...next, turn: { ...next.turn, iteration: next.turn.iteration + 1 } }
}

function addToTranscript(snapshot: Snapshot, logged: LoggedMessage, growth: Growth): Snapshot {
  const source = { ...snapshot.source, messages: growth.push(snapshot.source.messages, logged) }
  return joinsAtEnd(source, logged.sequence)
    ? { ...snapshot, source, messages: growth.push(snapshot.messages, logged.message) }
    : withSource(snapshot, source)
}

/** Whether a tool message that comes now answers calls that were to run, rather than calls that were refused. */
function answersBatch(snapshot: Snapshot): boolean {
  const last = snapshot.source.messages.findLast(({ message }) => !isNote(message))?.message
  return last?.role === 'assistant' && last.stopReason === 'toolUse'
}

function joinStored(snapshot: Snapshot, stored: StoredMessage): Message {
  return stored.role === 'tool' ? joinResults(stored, (callId) => snapshot.calls.get(callId)?.result) : stored
}

function withState(snapshot: Snapshot, logged: LoggedState, growth: Growth): Snapshot {
  return { ...snapshot, state: logged.state, states: growth.push(snapshot.states, logged) }
}

function endTurn(snapshot: Snapshot, entry: TurnEnded & Pick<Entry, 'sequence'>, growth: Growth): Snapshot {
  const closed = closeCalls(snapshot, 'all', growth)
  const isVoid = entry.commitState === false && closed.turn !== undefined
  const state = closed.turn?.stateBefore ?? {}
  const next = isVoid ? withState(closed, { sequence: entry.sequence, state }, growth) : closed
  const { activity: _activity, turn: _turn, open: _open, ...rest } = next
  return {
    ...rest,
    status: 'idle',
    pending: [],
    outcome: entry.outcome,
    usage: addUsage(snapshot.usage, entry.usage),
    ...(entry.output !== undefined && { output: entry.output }),
    ...(entry.outcome.kind === 'failed' && { error: entry.outcome.error }),
  }
}

function reduceLive(snapshot: Snapshot, event: LiveEvent): Snapshot {
  switch (event.type) {
    case 'model-started':
      return withActivity({ ...closeCalls(snapshot, 'growing', byCopy), open: emptyReply(event) }, 'model', event.at)
    case 'text-delta':
    case 'reasoning-delta':
      return growOpen(snapshot, event, (part) =>
        part?.type === 'text' || part?.type === 'reasoning'
          ? { ...part, text: part.text + event.delta }
          : { type: event.type === 'text-delta' ? 'text' : 'reasoning', text: event.delta },
      )
    case 'tool-input-delta':
      return growCall(snapshot, event)
    case 'content-retracted':
      return snapshot.open?.id === event.messageId ? without(snapshot, 'open') : snapshot
    case 'tool-progress':
      return snapshot.calls.get(event.callId)?.state === 'settled'
        ? snapshot
        : changeCall(snapshot, event.callId, { progress: event.update }, byCopy)
    case 'hook-started':
      // Around a call it is the tools that one waits for.
      return event.callId === undefined ? withActivity(snapshot, 'hook', event.at) : snapshot
    case 'compaction-started':
      return withActivity(snapshot, 'compaction', event.at)
    case 'retry':
      return withActivity(without(closeCalls(snapshot, 'growing', byCopy), 'open'), 'retry-wait', event.at)
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

function growOpen(
  snapshot: Snapshot,
  event: PartDelta,
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

function growCall(snapshot: Snapshot, event: Extract<PartDelta, { type: 'tool-input-delta' }>): Snapshot {
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
  return changeCall(grown, callId, { toolName, state: 'input-streaming', inputText, ...provider }, byCopy)
}

/** The snapshot of another source. */
export function withSource(snapshot: Snapshot, source: TranscriptSource): Snapshot {
  return { ...snapshot, source, messages: shownMessages(source), hasEarlier: hasEarlier(source) }
}

function withActivity(snapshot: Snapshot, kind: Activity['kind'], since: number): Snapshot {
  return snapshot.activity?.kind === kind ? snapshot : { ...snapshot, activity: { kind, since } }
}

function without(snapshot: Snapshot, key: 'open' | 'activity' | 'output'): Snapshot {
  if (snapshot[key] === undefined) return snapshot
  const { [key]: _dropped, ...rest } = snapshot
  return rest
}
