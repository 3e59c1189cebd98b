import { type Entry, MemoryStore, type Snapshot, type TurnEvent } from '@turnloop/core'
import { deafTool, deferred, type ManualClock, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import {
  type Behaviour,
  type FaultyStore,
  faultyStore,
  hang,
  loseAnswer,
  refuse,
  throwForeign,
  waitFor,
} from './faulty-store.ts'
import { collect, lastResultTexts } from './loop-setup.ts'
import { effectTool, kinds, openPage, until, untilIdle } from './session-setup.ts'

const PAY: ScriptStep = { calls: [{ name: 'pay' }] }

/** Whether an append is the one that says a tool starts. */
function startsTool(entries: readonly Entry[]): boolean {
  return entries.some(({ type }) => type === 'tool-started')
}

/** Behave like this for appends that say a tool starts, and well otherwise. */
function atToolStart(store: FaultyStore, behaviour: Behaviour): Behaviour {
  return (go) => (startsTool(store.appends.at(-1)?.entries ?? []) ? behaviour(go) : go())
}

/** Move the clock until a promise settles; resolves with how long that took. */
async function timeOf(promise: Promise<unknown>, clock: ManualClock): Promise<number> {
  const start = clock.now()
  let isDone = false
  promise.then(
    () => (isDone = true),
    () => (isDone = true),
  )
  await clock.advance(0)
  while (!isDone) await clock.advance(Math.max(1, (clock.next() ?? clock.now() + 1) - clock.now()))
  return clock.now() - start
}

function storageStates(snapshots: readonly Snapshot[]): string[] {
  return snapshots.map(({ storage }) => storage.state).filter((state, at, all) => state !== all[at - 1])
}

test('an unsafe call starts when its start is stored and not before', async () => {
  const gate = deferred()
  const store = faultyStore()
  store.break('append', atToolStart(store, waitFor(gate.promise)))
  const pay = effectTool('pay', 'unsafe')
  const { session, clock } = openPage([PAY, 'Paid.'], { store, tools: [pay.tool] })
  const turn = session.send('Pay')
  await clock.advance(4000)
  expect([kinds(session.getEntries()).at(-1), pay.runs.length]).toEqual(['tool-started', 0])
  gate.resolve()
  expect([(await turn).text, pay.runs.length]).toEqual(['Paid.', 1])
})

test.each<[string, Behaviour]>([
  ['is refused', refuse('quota-exceeded')],
  ['loses its answer', loseAnswer],
  ['fails in an unknown way', throwForeign],
  ['hangs', hang],
])('an unsafe call whose start %s is answered not-run, and the loop goes on', async (_name, behaviour) => {
  const store = faultyStore()
  store.break('append', atToolStart(store, behaviour))
  const pay = effectTool('pay', 'unsafe')
  const { session, model, clock } = openPage([PAY, 'Not paid.'], { store, tools: [pay.tool] })
  const turn = session.send('Pay')
  await timeOf(turn, clock)
  expect([(await turn).text, pay.runs.length]).toEqual(['Not paid.', 0])
  expect(lastResultTexts(model.requests[1])[0]).toContain('could not be recorded')
})

test('calls that are safe run whatever the store does', async () => {
  const store = faultyStore()
  store.break('append', atToolStart(store, refuse('quota-exceeded')))
  const [look, book] = [effectTool('look', 'read'), effectTool('book', 'idempotent')]
  const script: ScriptStep[] = [{ calls: [{ name: 'look' }, { name: 'book' }] }, 'Done.']
  const { session } = openPage(script, { store, tools: [look.tool, book.tool] })
  await session.send('Go')
  expect([look.runs.length, book.runs.length]).toEqual([1, 1])
})

test('while nothing of a turn is stored its unsafe calls run', async () => {
  const store = faultyStore()
  store.break('append', refuse('quota-exceeded'))
  const pay = effectTool('pay', 'unsafe')
  const { session } = openPage([PAY, 'Paid.'], { store, tools: [pay.tool] })
  expect([(await session.send('Pay')).text, pay.runs.length]).toEqual(['Paid.', 1])
})

test('a whole turn that waited goes out in one append, oldest first', async () => {
  const store = faultyStore()
  store.break('append', refuse('quota-exceeded'))
  const { session } = openPage([PAY, 'Paid.'], { store, tools: [effectTool('pay', 'unsafe').tool] })
  await session.send('Pay')
  store.mend()
  const before = store.appends.length
  await session.flush()
  expect(store.appends.slice(before).map(({ entries }) => entries)).toEqual([session.getEntries()])
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})

test('a first save that was perhaps made keeps unsafe calls from running', async () => {
  const store = faultyStore()
  store.breakNext('append', loseAnswer)
  store.break('append', refuse('disconnected'))
  const pay = effectTool('pay', 'unsafe')
  const { session } = openPage([PAY, 'Not paid.'], { store, tools: [pay.tool] })
  expect([(await session.send('Pay')).text, pay.runs.length]).toEqual(['Not paid.', 0])
})

test('a turn that goes on after a reload is stored already, so its unsafe calls wait', async () => {
  const disk = new MemoryStore()
  const first = openPage([PAY], { store: disk, tools: [deafTool({ name: 'pay' })] })
  first.session.send('Pay').catch(() => {})
  await until(first.session, ({ calls }) => [...calls.values()].some(({ state }) => state === 'waiting'))
  await first.session.close({ running: 'leave' })
  expect(kinds(await disk.read('s'))).not.toContain('tool-started')

  const pay = effectTool('pay', 'unsafe')
  const full = faultyStore(disk)
  full.break('append', refuse('quota-exceeded'))
  const second = openPage(['Not paid.'], { store: full, tools: [pay.tool] })
  await untilIdle(second.session)
  expect([pay.runs.length, second.session.getSnapshot().outcome?.kind]).toEqual([0, 'completed'])
})

test('an input that waited in the store is stored, so its unsafe calls wait', async () => {
  const gate = deferred()
  const store = faultyStore()
  const pay = effectTool('pay', 'unsafe')
  const script: ScriptStep[] = [{ text: 'First.', gate: gate.promise }, PAY, 'Not paid.']
  const { session, clock } = openPage(script, { store, tools: [pay.tool] })
  session.send('Wait').catch(() => {})
  const second = session.send('Pay')
  await clock.advance(10)
  expect((await store.disk.head('s'))?.queue).toHaveLength(1)
  store.break('append', refuse('quota-exceeded'))
  gate.resolve()
  await timeOf(second, clock)
  expect([(await second).text, pay.runs.length]).toEqual(['Not paid.', 0])
})

test('trouble is told once: one status, one warning', async () => {
  const store = faultyStore()
  store.break('append', refuse('quota-exceeded'))
  const { session } = openPage([PAY, PAY, 'Done.'], { store, tools: [effectTool('pay', 'read').tool] })
  const snapshots: Snapshot[] = []
  session.subscribe(() => void snapshots.push(session.getSnapshot()))
  const reading = collect(session.events())
  await session.send('Go')
  store.mend()
  await session.flush()
  await session.close()
  expect(storageStates(snapshots)).toEqual(['ready', 'full', 'ready'])
  const warnings = (await reading).filter((event: TurnEvent) => event.type === 'warning')
  expect(warnings).toHaveLength(1)
})

test('forty steps on a store that hangs wait for it twice at most', async () => {
  const store = faultyStore()
  store.break('append', hang)
  const script = [...Array.from({ length: 40 }, () => PAY), 'Done.']
  const { session, clock } = openPage(script, { store, tools: [effectTool('pay', 'unsafe').tool] })
  expect(await timeOf(session.send('Go'), clock)).toBeLessThanOrEqual(10_000)
})

test('a claim that hangs holds a turn up no longer than a save may take', async () => {
  const store = faultyStore()
  store.break('claim', hang)
  const pay = effectTool('pay', 'unsafe')
  const { session, clock } = openPage([PAY, 'Paid.'], { store, tools: [pay.tool] })
  const turn = session.send('Pay')
  expect(await timeOf(turn, clock)).toBeLessThanOrEqual(5000)
  expect([(await turn).text, session.getSnapshot().storage.state]).toEqual(['Paid.', 'degraded'])
  store.mend()
  await clock.advance(10_000)
  expect(await store.disk.read('s')).toEqual(session.getEntries())
  expect(session.getSnapshot().storage).toEqual({ state: 'ready', waiting: 0, isUnshared: true })
})

test.each<['claim' | 'append', Behaviour]>([
  ['claim', hang],
  ['append', hang],
  ['append', refuse('quota-exceeded')],
])('the status counts all that waits while the %s does not work', async (method, behaviour) => {
  const store = faultyStore()
  store.break(method, behaviour)
  const { session, clock } = openPage(['Hello.'], { store })
  await timeOf(session.send('Hi'), clock)
  expect(session.getSnapshot().storage.waiting).toBe(session.getEntries().length)
})

test('a claim that fails stops nobody, and all is saved later', async () => {
  const store = faultyStore()
  store.break('claim', refuse('storage-unavailable'))
  const { session } = openPage(['Hello.'], { store })
  expect((await session.send('Hi')).text).toBe('Hello.')
  expect(session.getSnapshot().storage).toMatchObject({ state: 'blocked', waiting: 5 })
  store.mend()
  await session.flush()
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})

test('Stop while a claim hangs ends at once and hands the input back', async () => {
  const store = faultyStore()
  store.break('claim', hang)
  const { session, clock } = openPage([], { store })
  const turn = session.send('Secret')
  await clock.advance(10)
  const stopping = session.cancel()
  expect(session.getSnapshot().status).toBe('cancelling')
  expect(await timeOf(stopping, clock)).toBeLessThanOrEqual(20)
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', input: [{ text: 'Secret' }] })
  expect([session.getEntries(), session.getSnapshot().status]).toEqual([[], 'idle'])
})

test('flush and close end although the store never answers', async () => {
  const store = faultyStore()
  store.break('append', hang)
  const { session, clock } = openPage(['Hello.'], { store })
  await timeOf(session.send('Hi'), clock)
  expect(await timeOf(session.flush(), clock)).toBeLessThanOrEqual(5000)
  expect(await timeOf(session.close(), clock)).toBeLessThanOrEqual(5000)
  expect([session.getSnapshot().status, clock.pending]).toEqual(['closed', 0])
})

test('close ends although the store never lets the session load', async () => {
  const store = faultyStore()
  store.break('read', hang)
  const { session, clock } = openPage([], { store })
  const turn = session.send('Hi')
  expect(await timeOf(session.close(), clock)).toBeLessThanOrEqual(5000)
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled' })
})

test('an ended turn whose last save is slow keeps nobody from sending', async () => {
  const store = faultyStore()
  const gate = deferred()
  const isEnd = (): boolean => store.appends.at(-1)?.entries.some(({ type }) => type === 'turn-ended') === true
  store.break('append', (go) => (isEnd() ? waitFor(gate.promise)(go) : go()))
  const { session } = openPage(['One.', 'Two.'], { store })
  const first = session.send('1')
  await until(session, ({ outcome }) => outcome?.kind === 'completed')
  const second = session.send('2', { whenBusy: 'reject' })
  gate.resolve()
  expect([(await first).text, (await second).text]).toEqual(['One.', 'Two.'])
})

test('a store that the browser has emptied is told, once, and works', async () => {
  const store = Object.assign(new MemoryStore(), { usage: () => Promise.resolve({ wasEvicted: true as const }) })
  const { session } = openPage(['Hello.'], { store })
  const { storage } = await until(session, (snapshot) => snapshot.storage.wasEvicted === true)
  expect(storage).toMatchObject({ state: 'ready', waiting: 0 })
  await session.send('Hi')
  expect(session.getSnapshot().storage).toEqual({ ...storage })
})
