import {
  createAgent,
  MemoryStore,
  type ModelRequest,
  openSession,
  reconcileHistory,
  type Session,
  type TurnResult,
} from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { afterAll, expect, test } from 'vitest'
import { faultsOfCalls, faultsOfLog, faultsOfRequests, stripIds } from './matrix-faults.ts'
import { isSame, listenersOn, settled, watchPoints, watchRejections } from './matrix-points.ts'
import {
  type Deeds,
  deedTool,
  obedient,
  playback,
  type Reply,
  reply,
  slowInstructions,
  sourceOf,
  steady,
} from './matrix-world.ts'

type Door = 'cancel' | 'signal' | 'close'

/** Three tools for "Go", then an answer; "Hello" is only answered. */
function answer({ messages }: ModelRequest): Reply {
  const last = messages.at(-1)
  if (last?.role === 'tool') return reply('All done.', [], 'endTurn')
  if (JSON.stringify(last?.content).includes('Hello')) return reply('Hello again.', [], 'endTurn')
  return reply('Let me see.', ['quick', 'slow', 'third'], 'toolUse')
}

const rejections = watchRejections()
const count = { cells: 0, ends: 0 }

/** Open a session, send, stop just before the nth point, and say what is wrong afterwards. */
async function cutSession(nth: number, door: Door, seen: Set<string>): Promise<{ faults: string[]; points: number }> {
  await settled()
  const deeds: Deeds = { did: new Map(), runs: new Map() }
  const store = new MemoryStore()
  const model = playback()
  const source = sourceOf([
    deedTool('quick', 'read', deeds, () => 'done at once'),
    deedTool('slow', 'unsafe', deeds, obedient),
    deedTool('third', 'unsafe', deeds, steady),
  ])
  const agent = createAgent({ model, clock: manualClock(), tools: [source], instructions: slowInstructions })
  const host = new AbortController()
  const open = (): Session => openSession({ agent, store, id: 's' })
  const faults: string[] = []
  let asked: number | undefined
  let points: number | undefined
  const stop = (): void => {
    asked = model.requests.length
    const { status } = session.getSnapshot()
    if (door === 'signal') host.abort('enough')
    else (door === 'cancel' ? session.cancel('enough') : session.close({ running: 'cancel' })).catch(() => {})
    const now = session.getSnapshot().status
    if (status === 'running' && door !== 'close' && now !== 'cancelling') faults.push(`Stop is shown as ${now}`)
  }
  model.play(answer)
  const watch = watchPoints(nth, stop)
  const session = open()
  const results: TurnResult[] = []
  const sent = session.send('Go', { signal: host.signal, turnId: 'go' })
  sent.then(
    (end) => {
      results.push(end)
      points ??= watch.count
    },
    () => faults.push('send was refused'),
  )
  if (nth === 0) stop()
  await settled()
  watch.stop()
  const [result] = results
  if (result === undefined) return { faults: [...faults, 'it has not ended'], points: watch.count }
  await session.flush()
  const log = await store.read('s')
  // Closing looks first whether the session has loaded: a request that is about to go out still does.
  if (asked !== undefined && model.requests.length > asked + (door === 'close' ? 1 : 0))
    faults.push('the model was asked after Stop')
  if (listenersOn(host.signal) + source.listeners > 0) faults.push('listeners are left')
  if (log.length > 0) faults.push(...faultsOfLog(log), ...faultsOfCalls({ entries: log, deeds }))
  const isKept = ((await store.head('s'))?.queue.length ?? 0) > 0
  if (isKept) faults.push(...(door === 'close' && log.length === 0 ? [] : ['the input waits again']))
  else faults.push(...faultsOfEnd(result, session, door))
  const left = stripIds([log, await store.head('s'), await store.open('s'), result])
  if (seen.has(left)) return { faults: [...faults, ...faultsOfRequests(model)], points: points ?? 0 }
  seen.add(left)
  faults.push(...(await faultsOfNext(open(), isKept ? undefined : result)))
  if (door !== 'close') faults.push(...(await faultsOfNext(session, undefined)))
  return { faults: [...faults, ...faultsOfRequests(model)], points: points ?? 0 }

  async function faultsOfNext(again: Session, before: TurnResult | undefined): Promise<string[]> {
    await again.flush()
    const { messages } = again.getSnapshot()
    const isAsBefore = before === undefined || isSame(reconcileHistory(messages).messages, before.messages)
    const { outcome, text } = await again.send('Hello')
    await again.flush()
    return [
      ...(isAsBefore ? [] : ['it loads as another transcript']),
      ...(outcome.kind === 'completed' && text === 'Hello again.' ? [] : [`the next turn ${outcome.kind}: ${text}`]),
    ]
  }
}

function faultsOfEnd(result: TurnResult, session: Session, door: Door): string[] {
  const { status, open, turn, activity, calls, outcome } = session.getSnapshot()
  const faults: string[] = []
  if (status !== (door === 'close' ? 'closed' : 'idle')) faults.push(`in the end it is ${status}`)
  if (open !== undefined || turn !== undefined || activity !== undefined) faults.push('something is still shown')
  for (const { toolName, state } of calls.values())
    if (state !== 'settled') faults.push(`${toolName} is still ${state}`)
  const entries = session.getEntries()
  if (entries.length > 0 && !isSame(outcome, result.outcome)) faults.push('the snapshot tells another outcome')
  const isHandedBack = result.outcome.kind === 'cancelled' && result.outcome.input !== undefined
  const isLogged = entries.some((entry) => entry.type === 'message')
  if (isHandedBack === isLogged) faults.push(isLogged ? 'the input is logged and handed back' : 'the input is lost')
  return faults
}

test.each<Door>(['cancel', 'signal', 'close'])('a session stopped at every point by "%s" goes on', async (door) => {
  const faults: string[] = []
  const seen = new Set<string>()
  const { points } = await cutSession(Number.POSITIVE_INFINITY, door, new Set())
  for (let nth = 0; nth <= points + 1; nth += 1) {
    for (const fault of (await cutSession(nth, door, seen)).faults) faults.push(`${nth} of ${points}: ${fault}`)
  }
  count.cells += points + 2
  count.ends += seen.size
  expect(faults).toEqual([])
})

afterAll(() => {
  rejections.stop()
  console.log(`session cancel matrix: ${count.cells} cells, ${count.ends} different ends`)
  expect(rejections.seen).toEqual([])
})
