import { clientCalls, EMPTY_SNAPSHOT, type Entry, isEntry, reduce } from '@turnloop/core'
import { checkHistory, describeProblems } from '@turnloop/testing'
import { GRACE_MS, type Played } from './hooks-world.ts'
import { faultsOfLog, faultsOfRequests, isSameEnd } from './matrix-faults.ts'
import { isSame } from './matrix-points.ts'

/** What is wrong with a turn with hooks that was played to its end. */
export function faultsOfHooked(played: Played): string[] {
  if (played.result === undefined) return [`it had not ended after ${2 * GRACE_MS} ms`]
  return [
    ...faultsOfEnd(played),
    ...faultsOfHookEvents(played),
    ...faultsOfSettling(played),
    ...faultsOfRuns(played),
    ...faultsOfState(played),
    ...faultsOfEndedBefore(played),
    ...faultsOfShown(played),
  ]
}

function faultsOfEnd({ result, entries, events, atEnd, atStop, model, listeners }: Played): string[] {
  const faults = [...faultsOfLog(entries), ...faultsOfRequests(model)]
  const ends = entries.flatMap((entry) => (entry.type === 'turn-ended' ? [entry] : []))
  if (ends[0] && !isSameEnd(ends[0].outcome, result?.outcome)) faults.push('the log tells another outcome')
  if (events[atEnd.events - 1]?.type !== 'turn-ended')
    faults.push(`the last event is ${events[atEnd.events - 1]?.type}`)
  const { problems } = checkHistory(result?.messages ?? [])
  if (problems.length > 0) faults.push(describeProblems(problems))
  if (atStop !== undefined && model.requests.length > atStop.requests) faults.push('the model was asked after Stop')
  if (listeners > 0) faults.push(`${listeners} listeners are left`)
  for (const event of events.slice(atEnd.events)) {
    // What runs in the background outlives the turn, and a result that came too late is told.
    const isLater = event.type === 'background-hook-failed' || event.type === 'eval-result' || event.type === 'custom'
    if (!isLater && !('late' in event)) faults.push(`${event.type} after the end`)
  }
  return faults
}

/** Each run of a hook is opened and closed once, within the turn. */
export function faultsOfHookEvents({ events }: Pick<Played, 'events'>): string[] {
  const faults: string[] = []
  const open = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'hook-started') {
      if (open.has(event.id)) faults.push(`${event.hook} began twice`)
      open.set(event.id, event.hook)
    }
    if (event.type === 'hook-finished' || event.type === 'hook-failed' || event.type === 'hook-blocked')
      if (!open.delete(event.id)) faults.push(`${event.hook} ended without a beginning`)
    if (event.type === 'turn-ended') for (const hook of open.values()) faults.push(`${hook} is still open at the end`)
  }
  return faults
}

/** Every call has one answer, given before its message, and none starts after that. */
function faultsOfSettling({ entries }: Played): string[] {
  const faults: string[] = []
  const answers = new Map<string, Entry>()
  let isEnding = false
  for (const entry of entries) {
    if (entry.type === 'tool-settled' && !entry.late) {
      if (answers.has(entry.callId)) faults.push(`${entry.toolName} settled twice`)
      answers.set(entry.callId, entry)
      isEnding ||= entry.ends !== undefined
    }
    if (entry.type === 'tool-started') {
      if (answers.has(entry.callId)) faults.push(`${entry.toolName} starts after its answer`)
      if (isEnding) faults.push(`${entry.toolName} starts after a hook has ended the turn`)
    }
  }
  const calls = entries.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'assistant' ? clientCalls(entry.message) : [],
  )
  for (const { callId, toolName } of calls) if (!answers.has(callId)) faults.push(`${toolName} has no answer`)
  return faults
}

/** What is recorded of a run is what it really got, and nothing begins after Stop or after the end. */
function faultsOfRuns({ runs, entries, atEnd, atStop, restored }: Played): string[] {
  const faults: string[] = []
  if (runs.length > atEnd.runs) faults.push('a tool ran after the end')
  if (runs.some(({ isStopped }) => isStopped)) faults.push('a tool started after Stop')
  const before = entries.slice(0, restored)
  const started = entries.slice(restored).flatMap((entry) => (entry.type === 'tool-started' ? [entry] : []))
  for (const callId of new Set([...runs, ...started].map((run) => run.callId))) {
    const got = runs.filter((run) => run.callId === callId).map(({ input }) => input)
    const told = started.filter((start) => start.callId === callId).map(({ input }) => input)
    // One that was stopped in the moment between its record and its beginning is recorded, and has not run.
    const isCut = atStop !== undefined && told.length === got.length + 1
    if (!isSame(isCut ? told.slice(0, -1) : told, got))
      faults.push(`it got ${JSON.stringify(got)} and ${JSON.stringify(told)} is recorded`)
  }
  const wasStarted = new Set(before.flatMap((entry) => (entry.type === 'tool-started' ? [entry.callId] : [])))
  const wasSettled = new Set(before.flatMap((entry) => (entry.type === 'tool-settled' ? [entry.callId] : [])))
  for (const { callId, toolName } of runs) {
    if (toolName === 'pay' && wasStarted.has(callId)) faults.push('a payment ran again after a crash')
    if (wasSettled.has(callId)) faults.push('a call that had settled ran again')
  }
  return faults
}

/** The result, the log and what is shown live have one state. */
function faultsOfState({ result, entries, events, atEnd, restored }: Played): string[] {
  const faults: string[] = []
  const loaded = entries.slice(0, atEnd.entries).reduce(reduce, EMPTY_SNAPSHOT)
  const live = events.slice(0, atEnd.events).reduce(reduce, entries.slice(0, restored).reduce(reduce, EMPTY_SNAPSHOT))
  const told = JSON.stringify(result?.state)
  if (JSON.stringify(loaded.state) !== told)
    faults.push(`the state is ${told} and loads as ${JSON.stringify(loaded.state)}`)
  if (!isSame(loaded.messages, live.messages)) faults.push('it is shown live as another transcript')
  if (!isSame(loaded.usage, live.usage)) faults.push('it is shown live with other usage')
  if (!isSame(loaded.state, live.state)) faults.push('it is shown live with another state')
  if (live.open !== undefined || live.turn !== undefined) faults.push('something is still shown as growing')
  for (const { toolName, state } of live.calls.values())
    if (state !== 'settled') faults.push(`${toolName} is still ${state}`)
  const facts = events.filter(isEntry)
  if (facts.some((fact, index) => fact !== entries[restored + index])) faults.push('the events tell another log')
  return faults
}

/** A turn that a hook had ended when it was cut asks nobody again, and ends as was said. */
function faultsOfEndedBefore({ result, entries, restored, model, atStop }: Played): string[] {
  const said = entries.slice(0, restored).flatMap((entry) => {
    const ends = entry.type === 'message' || entry.type === 'tool-settled' ? entry.ends : undefined
    return ends === undefined ? [] : [ends]
  })
  const isStopped = atStop !== undefined || entries.some(({ type }) => type === 'stop-requested')
  if (said.length === 0 || isStopped) return []
  const faults = model.requests.length > 0 ? ['the model was asked in a turn that a hook had ended'] : []
  if (!said.some((ends) => isSame(ends, result?.outcome)))
    faults.push(`a hook ended it ${said[0]?.kind}, and it ended ${result?.outcome.kind}`)
  return faults
}

/** What people saw of a reply stays, unless it was taken back. */
function faultsOfShown({ events }: Played): string[] {
  const shown = new Set<string>()
  for (const event of events) {
    if (event.type === 'text-delta') shown.add(event.messageId)
    if (event.type === 'content-retracted') shown.delete(event.messageId)
    if (event.type === 'message') shown.delete(event.message.id)
  }
  return [...shown].map(() => 'a reply that was shown is lost')
}
