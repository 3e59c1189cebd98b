import type { Entry, Message, ToolResult } from '@turnloop/core'
import type { Survival } from './killed-turn.ts'

type Status = ToolResult['status']

/** The tools of the turn, in call order. */
const TOOLS = ['look', 'book', 'pay']

/** What of a turn's calls a log holds, by tool name. */
interface Calls {
  readonly started: ReadonlySet<string>
  readonly settled: ReadonlyMap<string, Status>
}

/** What is wrong with how a killed turn went on; empty where all promises were kept. */
export function faultsOf({ found, report, acknowledged, effectsBefore, effects }: Survival): string[] {
  const { entries, stored, snapshot, problems } = report
  const runs = (name: string, of = effects): number => of.filter(({ tool }) => tool === name).length
  const calls = callsOf(found)
  const faults = [...problems, ...faultsOfLog(stored)]
  const expect = (isTrue: boolean, fault: string): void => void (isTrue || faults.push(fault))

  expect(found.length >= acknowledged, `of ${acknowledged} entries that were saved ${found.length} were found`)
  expect(isSame(stored.slice(0, found.length), found), 'what was stored has changed')
  expect(isSame(stored, entries), 'not all is stored in the end')
  expect(snapshot.storage.state === 'ready', `the storage is ${snapshot.storage.state}`)
  expect(runs('pay') <= 1, `the unsafe tool ran ${runs('pay')} times`)
  expect(new Set(effects.filter(({ tool }) => tool === 'book').map(({ key }) => key)).size <= 1, 'a new key for book')
  for (const [name] of calls.settled)
    expect(runs(name) === runs(name, effectsBefore), `${name} had settled, and ran again`)
  // What was never stored was never said: the page can ask again.
  if (found.length === 0) return [...faults, ...(entries.length > 0 ? ['a turn out of nothing'] : [])]

  const statuses = TOOLS.map((name) => expectedStatus(name, calls))
  const text = `It came out so: ${TOOLS.map((name, at) => `${name} ${statuses[at]}`).join(', ')}.`
  expect(snapshot.outcome?.kind === 'completed', `the outcome is ${snapshot.outcome?.kind}`)
  expect(finalText(snapshot.messages) === text, `it says "${finalText(snapshot.messages)}" in place of "${text}"`)
  if (statuses[2] === 'ok') expect(runs('pay') === 1, 'the unsafe tool counts as run, and was not')
  return faults
}

/** Where a kill has hit, in a word. */
export function placeOf({ found }: Survival): string {
  const { started, settled } = callsOf(found)
  if (found.length === 0) return 'nothing stored'
  if (found.some(({ type }) => type === 'turn-ended')) return 'after the end'
  if (started.has('pay') && !settled.has('pay')) return 'unsafe call in doubt'
  if (settled.size === TOOLS.length) return 'tools done'
  return started.size > 0 ? 'among the tools' : 'before the tools'
}

function expectedStatus(name: string, { started, settled }: Calls): Status {
  const known = settled.get(name)
  if (known !== undefined) return known
  return name === 'pay' && started.has(name) ? 'unknown' : 'ok'
}

function callsOf(entries: readonly Entry[]): Calls {
  const names = new Map<string, string>()
  const settled = new Map<string, Status>()
  for (const entry of entries) {
    if (entry.type === 'tool-started') names.set(entry.callId, entry.toolName)
    if (entry.type === 'tool-settled') settled.set(names.get(entry.callId) ?? entry.callId, entry.status)
  }
  return { started: new Set(names.values()), settled }
}

/** What is wrong with the log of one turn. */
export function faultsOfLog(entries: readonly Entry[]): string[] {
  const count = (type: Entry['type']): number => entries.filter((entry) => entry.type === type).length
  const gaps = entries
    .filter(({ sequence }, at) => sequence !== at + 1)
    .map(({ sequence }) => `a gap before ${sequence}`)
  const isWhole = entries.length === 0 || (count('turn-started') === 1 && count('turn-ended') === 1)
  return [...gaps, ...(isWhole ? [] : [`${count('turn-started')} starts, ${count('turn-ended')} ends`])]
}

/** The text of the last reply. */
export function finalText(messages: readonly Message[]): string {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  return last.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
