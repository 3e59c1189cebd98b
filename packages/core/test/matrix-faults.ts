import {
  clientCalls,
  type Entry,
  isEntry,
  MemoryStore,
  type Message,
  type Outcome,
  openSession,
  reconcileHistory,
  ToolRunner,
} from '@turnloop/core'
import { checkHistory, describeProblems } from '@turnloop/testing'
import { type Cut, GRACE_MS } from './matrix-cut.ts'
import { isSame, settled } from './matrix-points.ts'
import { type Deed, type Playback, reply } from './matrix-world.ts'

/**
 * What is wrong with a turn that was stopped: nothing, if rules 1 to 4, 6 and 7 held.
 *
 * `whole` is the same turn without the Stop; `seen` holds what was left behind before.
 */
export async function faultsOf(cut: Cut, whole: Cut, seen: Set<string>): Promise<string[]> {
  if (cut.result === undefined) return [`it had not ended after ${2 * GRACE_MS} ms`]
  const faults = [
    ...faultsOfEnd(cut),
    ...faultsOfOutcome(cut, whole),
    ...faultsOfRollback(cut),
    ...faultsOfLog(cut.entries),
    ...faultsOfCalls(cut),
    ...faultsOfEvents(cut),
  ]
  const stored = [...cut.entries]
  const hasOpenCalls = [...cut.deeds.did.values()].includes('started')
  if (hasOpenCalls) {
    cut.release()
    await settled()
  }
  faults.push(...faultsOfLateness(cut, stored))
  // From the same log, to the letter, a conversation goes on in the same way.
  const left = stripIds([cut.entries, cut.result])
  if (!seen.has(left)) faults.push(...(await faultsOfReload(cut)))
  seen.add(left)
  return faults
}

/** Data as text, with all random ids made equal. */
export function stripIds(data: unknown): string {
  return JSON.stringify(data).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '#')
}

function faultsOfEnd({ result, atStop, model, entries, listeners, ownListeners, timers, turn }: Cut): string[] {
  const end = findEnd(entries)
  const faults: string[] = []
  if (end === undefined || !isSameEnd(end.outcome, result?.outcome)) faults.push('the log tells another outcome')
  if (!isSame(turn.outcome, result?.outcome)) faults.push('the runner tells another outcome')
  if (listeners > 0) faults.push(`${listeners} listeners are left`)
  if (ownListeners > 1) faults.push(`${ownListeners} listeners are left on its own signal`)
  if (timers > 0) faults.push(`${timers} timers are left`)
  faults.push(...faultsOfRequests(model))
  if (atStop === undefined || end === undefined) return faults
  if (model.requests.length > atStop.requests) faults.push('the model was asked after Stop')
  if (end.at - atStop.now > 2 * GRACE_MS) faults.push(`it took ${end.at - atStop.now} ms to end`)
  return faults
}

/** Whether two outcomes are the same, but for an input that is handed back and not stored: its hooks had not passed it. */
export function isSameEnd(stored: Outcome, told: Outcome | undefined): boolean {
  if (told?.kind !== 'cancelled' || stored.kind !== 'cancelled') return isSame(stored, told)
  return isSame({ ...told, input: undefined }, { ...stored, input: undefined })
}

/** Stopped, unless all that the turn had to say was in the log already when Stop came. */
function faultsOfOutcome({ result, atStop }: Cut, whole: Cut): string[] {
  if (atStop === undefined || result?.outcome.kind === 'cancelled') return []
  // What a check has refused is refused all the same.
  if (result?.outcome.kind === 'blocked' && whole.result?.outcome.kind === 'blocked') return []
  const isWhole = atStop.entries + 1 >= (findEnd(whole.entries)?.sequence ?? 0)
  if (isWhole && result?.outcome.kind === whole.result?.outcome.kind) return []
  return [`it was stopped and ended ${result?.outcome.kind}`]
}

/** The rollback record tells apart whether all calls of the last batch had finished. */
function faultsOfRollback({ result }: Cut): string[] {
  const status = result?.outcome.kind === 'cancelled' ? result.outcome.rollback.status : undefined
  if (status !== 'appended-completed-result' && status !== 'appended-interrupted-result') return []
  const batch = result?.messages.findLast((message) => message.role === 'tool')
  const hasFinished =
    batch?.role === 'tool' &&
    batch.results.every(({ status: end }) => end === 'ok' || end === 'error' || end === 'denied')
  return hasFinished === (status === 'appended-completed-result') ? [] : [`the rollback record says ${status}`]
}

/** Whether a tool began its work although Stop had come. */
export function startedAfterStop({ deeds, atStop }: Cut): boolean {
  return atStop !== undefined && [...deeds.did.keys()].some((callId) => !atStop.did.has(callId))
}

/** What providers would refuse. */
export function faultsOfRequests({ requests }: Playback): string[] {
  return requests.flatMap(({ messages }, index) => {
    const { problems } = checkHistory(messages, { request: true })
    return problems.length > 0 ? [`request ${index}: ${describeProblems(problems)}`] : []
  })
}

/** The end of the turn itself, not of an agent that was one of its tools. */
function findEnd(entries: readonly Entry[]): Extract<Entry, { type: 'turn-ended' }> | undefined {
  return entries.flatMap((entry) => (entry.type === 'turn-ended' && entry.path === undefined ? [entry] : []))[0]
}

/** What is wrong with the log of one whole turn. */
export function faultsOfLog(entries: readonly Entry[]): string[] {
  const faults: string[] = []
  const own = entries.filter(({ path }) => path === undefined)
  const ends = own.filter(({ type }) => type === 'turn-ended')
  if (ends.length !== 1) faults.push(`${ends.length} ends`)
  if (entries[0]?.type !== 'turn-started') faults.push('no start')
  if (entries.some(({ sequence }, index) => sequence !== index + 1)) faults.push('a gap in the log')
  const after = entries.slice(ends[0]?.sequence)
  for (const entry of after) if (!('late' in entry)) faults.push(`${entry.type} after the end`)
  return faults
}

/** What is wrong with the answers in a log: every call has one, which tells what really became of it. */
export function faultsOfCalls({ entries, deeds }: Pick<Cut, 'entries' | 'deeds'>): string[] {
  const settledInTime = entries.flatMap((entry) => (entry.type === 'tool-settled' && !entry.late ? [entry] : []))
  const answers = new Map(settledInTime.map((entry) => [entry.callId, entry]))
  const faults = answers.size === settledInTime.length ? [] : ['a call settled twice']
  for (const [callId, runs] of deeds.runs) if (runs > 1) faults.push(`${callId} ran ${runs} times`)
  for (const callId of [...deeds.runs.keys(), ...callsIn(entries)]) {
    if (!answers.has(callId)) faults.push(`${callId} has no answer`)
  }
  for (const { callId, toolName, status } of answers.values()) {
    const deed = deeds.did.get(callId)
    // What the loop itself does, or an agent, is nobody's deed.
    const isAccounted = toolName === 'quick' || toolName === 'slow' || deed !== undefined
    if (isAccounted && !statusesOf(deed).includes(status)) {
      faults.push(`${toolName} ${deed ?? 'never started'} and is told as ${status}`)
    }
  }
  return faults
}

/** All calls that were asked for, or started. */
function callsIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === 'tool-started') return [entry.callId]
    if (entry.type !== 'message' || entry.message.role !== 'assistant') return []
    return clientCalls(entry.message).map(({ callId }) => callId)
  })
}

function statusesOf(deed: Deed | undefined): string[] {
  if (deed === 'returned') return ['ok']
  if (deed === 'threw') return ['cancelled']
  if (deed === 'started') return ['unknown']
  // A call that was stopped before it began, or that could not be run at all: cut by a limit, filtered, or not allowed.
  return ['not-run', 'error', 'denied']
}

/** Whatever was shown as going on has ended. */
function faultsOfEvents({ events, entries }: Cut): string[] {
  const faults: string[] = []
  if (events.at(-1)?.type !== 'turn-ended') faults.push(`the last event is ${events.at(-1)?.type}`)
  const facts = events.filter(isEntry)
  if (facts.some((fact, index) => fact !== entries[index])) faults.push('the events tell another log')
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool-started') open.add(event.callId)
    if (event.type === 'tool-settled') open.delete(event.callId)
    if (event.type === 'tool-progress' && !open.has(event.callId)) faults.push('progress of a call that does not run')
  }
  if (open.size > 0) faults.push(`${open.size} calls are still shown as running`)
  return faults
}

function faultsOfLateness({ entries, deeds }: Cut, before: readonly Entry[]): string[] {
  const faults: string[] = []
  if (before.some((entry, index) => entry !== entries[index])) faults.push('the log changed after its end')
  for (const entry of entries.slice(before.length)) {
    if (entry.type !== 'tool-settled' || !entry.late) faults.push(`${entry.type} came after the end`)
    else if (deeds.did.get(entry.callId) !== 'returned') faults.push('a late result of nothing')
  }
  return faults
}

/** The log loads as the same conversation, which goes on. */
async function faultsOfReload({ entries, result, agent, next: nextAgent, model, clock }: Cut): Promise<string[]> {
  const faults: string[] = []
  try {
    ToolRunner.from(agent.parts({ append: () => ({ entries: [], saved: Promise.resolve(true) }) }), entries)
    faults.push('an ended turn can be gone on with')
  } catch {}
  const store = new MemoryStore()
  await store.append('s', entries)
  const session = openSession({ agent: nextAgent, store, id: 's' })
  await session.flush()
  const { messages, status, open, turn } = session.getSnapshot()
  if (status !== 'idle' || open !== undefined || turn !== undefined) faults.push(`it loads as ${status}`)
  // A reply that was cut when it had only been thought about is shown, and no part of what can be sent.
  const sendable = messages.filter((message) => message.role !== 'user' || message.synthetic !== 'blocked')
  if (!isSame(reconcileHistory(sendable).messages, result?.messages)) faults.push('it loads as another transcript')
  // Counted as they are shown, or as they are sent: a reply with nothing to send may be either.
  const counts: readonly unknown[] = [messages.length, result?.messages.length]
  if (result?.outcome.kind === 'cancelled' && !counts.includes(result.outcome.rollback.messagesAfter)) {
    faults.push(`the rollback record counts ${result.outcome.rollback.messagesAfter} messages`)
  }
  model.play([reply('Hello again.', [], 'endTurn')])
  const again = session.send('Hello')
  await settled()
  await clock.advance(0)
  if (session.getSnapshot().status !== 'idle') return [...faults, 'the next message gets no answer']
  const next = await again
  if (next.outcome.kind !== 'completed' || next.text !== 'Hello again.')
    faults.push(`the next turn ${next.outcome.kind}`)
  return [...faults, ...faultsOfHistory(next.messages), ...faultsOfHistory(model.requests.at(-1)?.messages ?? [])]
}

function faultsOfHistory(messages: readonly Message[]): string[] {
  const { problems } = checkHistory(messages)
  return problems.length > 0 ? [describeProblems(problems)] : []
}
