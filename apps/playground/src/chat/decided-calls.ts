import type { Entry } from '@turnloop/core'

/** What was asked about a call, and what was decided, once it was. */
export interface DecidedCall {
  readonly asked: Extract<Entry, { type: 'approval-requested' }>
  readonly decided?: Extract<Entry, { type: 'approval-decided' }>
}

/** The calls that people were asked about, by call. Those of an agent that runs as a tool count as the call that runs it. */
export function decidedCalls(entries: readonly Entry[]): ReadonlyMap<string, DecidedCall> {
  const calls = new Map<string, DecidedCall>()
  const places = new Map<string, string>()
  for (const entry of entries) {
    if (entry.type === 'approval-requested') {
      const callId = entry.path?.[0] ?? entry.callId
      places.set(entry.id, callId)
      calls.set(callId, { asked: entry })
    } else if (entry.type === 'approval-decided') {
      const callId = places.get(entry.id) ?? ''
      const call = calls.get(callId)
      if (call?.asked.id === entry.id) calls.set(callId, { ...call, decided: entry })
    }
  }
  return calls
}

/** Who allowed a call, or that it was not allowed and why. `undefined` where nothing was decided. */
export function decisionWords({ asked, decided }: DecidedCall): string | undefined {
  if (decided === undefined) return undefined
  // The word that core gives where something else was sent while a call waited.
  if (decided.by === 'superseded') return 'Not allowed: something else was asked instead'
  const who = decided.by === 'user' ? 'you' : decided.by
  if (!decided.allow) {
    const done = asked.ask === 'answer' ? `Not answered by ${who}` : `Not allowed by ${who}`
    return decided.note === undefined || decided.note === '' ? done : `${done}: “${decided.note}”`
  }
  if (asked.ask === 'answer') return `Answered by ${who}`
  if (asked.ask === 'fields') return `Filled in by ${who}`
  // As they were shown, they are not sent along.
  return decided.input !== undefined ? `Changed and allowed by ${who}` : `Allowed by ${who}`
}
