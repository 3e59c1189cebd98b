import { MemoryStore, type ModelRequest } from '@turnloop/core'
import { deafTool, deferred, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore, waitFor } from './faulty-store.ts'
import { outline } from './loop-setup.ts'
import {
  effectTool,
  logFaults,
  openPage,
  type Page,
  type PageOptions,
  repeat,
  shown,
  until,
  untilAsked,
  untilIdle,
  waiting,
  watchStatus,
} from './session-setup.ts'

/** Two tabs that have one session open and no lock between them, each with its own connection to the disk. */
async function twoTabs(first: Parameters<typeof openPage>[0], options: PageOptions = {}) {
  const disk = new MemoryStore()
  const [storeA, storeB] = [faultyStore(disk), faultyStore(disk)]
  const a = openPage(first, { store: storeA, ...options })
  const b = openPage(repeat, { store: storeB, resume: 'manual', ...options })
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  return { disk, storeA, storeB, a, b }
}

/** Starts a turn in a page and waits until its model has been asked. */
async function startTurn(page: Page, text: string) {
  const turn = page.session.send(text)
  await untilAsked(page.session)
  return { turn }
}

test('a tab that was idle sees what the other did, and goes on from there', async () => {
  const { disk, a, b } = await twoTabs(repeat)
  await a.session.send('one')
  await b.session.send('two')
  expect(outline(b.model.requests[0]?.messages ?? [])).toEqual(['user: one', 'assistant: You said one', 'user: two'])
  await a.session.send('three')
  expect(shown(a.session)).toHaveLength(6)
  expect(await disk.read('s')).toEqual(a.session.getEntries())
  expect(logFaults(a.session.getEntries())).toEqual([])
})

test('a tab that was idle may send several inputs at once', async () => {
  const { disk, a, b } = await twoTabs(repeat)
  await a.session.send('one')
  const results = await Promise.all(['two', 'three', 'four'].map((word) => b.session.send(word)))
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'completed', 'completed'])
  expect(logFaults(await disk.read('s'))).toEqual([])
  expect(shown(b.session)).toHaveLength(8)
})

test('a turn in one tab makes the other drop its run, and nothing is corrupted', async () => {
  const gate = deferred()
  const { disk, a, b } = await twoTabs((request, index) =>
    index === 0 ? { text: 'Never said.', gate: gate.promise } : repeat(request),
  )
  const { turn } = await startTurn(a, 'mine')
  expect((await b.session.send('theirs')).text).toBe('You said theirs')
  gate.resolve()
  expect((await turn).outcome.kind).toBe('interrupted')
  await until(a.session, ({ messages }) => messages.length === 3)
  const stored = await disk.read('s')
  expect([logFaults(stored), a.session.getEntries()]).toEqual([[], stored])
  expect(shown(a.session)).toEqual(['user: mine', 'user: theirs', 'assistant: You said theirs'])
  expect(stored.find(({ type }) => type === 'turn-ended')).toMatchObject({ outcome: { kind: 'interrupted' } })
})

test('a stale tab is lost for a moment, then ready, and can go on', async () => {
  const gate = deferred()
  const { a, b } = await twoTabs((request, index) =>
    index === 0 ? { text: 'Never said.', gate: gate.promise } : repeat(request),
  )
  const states: string[] = []
  a.session.subscribe(() => void states.push(a.session.getSnapshot().storage.state))
  const { turn } = await startTurn(a, 'mine')
  await b.session.send('theirs')
  gate.resolve()
  await turn
  await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  expect([...new Set(states)]).toEqual(['ready', 'lost'])
  expect((await a.session.send('again')).text).toBe('You said again')
  expect(logFaults(a.session.getEntries())).toEqual([])
})

test('an unsafe call that ran when the other tab took over runs once', async () => {
  const pay = deafTool({ name: 'pay' })
  const { disk, storeA, a, b } = await twoTabs([{ calls: [{ name: 'pay' }] }], { tools: [pay] })
  const turn = a.session.send('Pay')
  await pay.started
  await b.session.send('Stop that')
  const settled = (await disk.read('s')).find((entry) => entry.type === 'tool-settled')
  expect(settled).toMatchObject({ toolName: 'pay', status: 'unknown' })
  const claims = storeA.calls.claim
  pay.release('paid')
  await turn
  await until(a.session, ({ storage }) => storage.state === 'ready')
  expect([pay.calls.length, storeA.calls.claim]).toEqual([1, claims])
  expect(logFaults(await disk.read('s'))).toEqual([])
})

test('a call whose start was not stored before the other tab came never runs', async () => {
  const gate = deferred()
  const pay = effectTool('pay', 'unsafe')
  const { storeA, a, b, disk } = await twoTabs([{ calls: [{ name: 'pay' }] }], { tools: [pay.tool] })
  const isStart = (): boolean => storeA.appends.at(-1)?.entries.some(({ type }) => type === 'tool-started') === true
  storeA.break('append', (go) => (isStart() ? waitFor(gate.promise)(go) : go()))
  const turn = a.session.send('Pay')
  await until(a.session, ({ calls }) => [...calls.values()].some(({ state }) => state === 'running'))
  await b.session.send('Mine now')
  gate.resolve()
  await turn
  expect(pay.runs).toEqual([])
  const settled = (await disk.read('s')).find((entry) => entry.type === 'tool-settled')
  expect(settled).toMatchObject({ status: 'not-run' })
})

test('a late result in a stale tab takes the session from nobody', async () => {
  const deaf = deafTool({ name: 'deaf', effect: 'read' })
  const { storeA, a, b, disk } = await twoTabs([{ calls: [{ name: 'deaf' }] }], { tools: [deaf] })
  const turn = a.session.send('Look')
  await deaf.started
  await b.session.send('theirs')
  await a.session.rename('Mine').catch(() => {})
  await a.clock.advance(2000)
  await turn
  await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  const { claim, append } = storeA.calls
  deaf.release('late')
  await a.clock.advance(10_000)
  await a.session.flush()
  expect([storeA.calls.claim, storeA.calls.append]).toEqual([claim, append])
  expect(a.session.getEntries()).toEqual(await disk.read('s'))
})

test('what waits in a stale tab is held there and asked once', async () => {
  const gate = deferred()
  const { disk, a } = await twoTabs((request, index) =>
    index === 0 ? { text: 'Never said.', gate: gate.promise } : repeat(request),
  )
  const { turn } = await startTurn(a, 'one')
  const second = a.session.send('two')
  await a.session.flush()
  // The other tab opens now, finds the cut turn and the queue, and does both.
  const b = openPage(repeat, { store: disk })
  const after = await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 4)
  expect(outline(after.messages)[2]).toBe('user: two')
  gate.resolve()
  await turn
  const stale = await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  expect([waiting(stale), a.model.requests.length]).toEqual([['two'], 1])
  const third = await a.session.send('three')
  expect([(await second).text, third.text, a.model.requests.length]).toEqual(['You said two', 'You said three', 2])
  expect(logFaults(await disk.read('s'))).toEqual([])
})

test('two tabs that find the same cut turn run it once between them', async () => {
  const disk = new MemoryStore()
  const pay = effectTool('pay', 'unsafe')
  const gone = openPage([{ text: 'Paying.', hang: true }], { store: disk })
  gone.session.send('Pay').catch(() => {})
  await untilAsked(gone.session)
  await gone.session.flush()
  const script = ({ messages }: ModelRequest): ScriptStep =>
    messages.at(-1)?.role === 'tool' ? 'Paid.' : { calls: [{ name: 'pay' }] }
  const tabs = [1, 2].map(() => openPage(script, { store: disk, tools: [pay.tool] }))
  await Promise.all(tabs.map(({ session }) => until(session, ({ status }) => status === 'idle')))
  await Promise.all(tabs.map(({ session }) => session.flush()))
  expect(pay.runs).toHaveLength(1)
  expect(logFaults(await disk.read('s'))).toEqual([])
})

test('a turn that the other tab has done is not done again under the same name', async () => {
  const { a, b } = await twoTabs(repeat)
  const first = await a.session.send('one', { turnId: 'same' })
  const second = await b.session.send('one', { turnId: 'same' })
  expect([second.text, second.outcome, b.model.requests.length]).toEqual([first.text, first.outcome, 0])
  expect(outline(second.messages)).toEqual(outline(first.messages))
})

test('a cut turn that the other tab has finished is no longer there to resume', async () => {
  const disk = new MemoryStore()
  const gone = openPage([{ text: 'Never.', hang: true }], { store: disk })
  gone.session.send('one').catch(() => {})
  await untilAsked(gone.session)
  await gone.session.flush()
  const late = openPage(repeat, { store: disk, resume: 'manual' })
  expect((await untilIdle(late.session)).resumable).toBe(true)
  const other = openPage(repeat, { store: disk })
  await untilIdle(other.session)
  const result = await late.session.resume()
  expect([result.text, late.model.requests.length]).toEqual(['You said one', 0])
  expect(late.session.getSnapshot().resumable).toBeUndefined()
})

test('a stale tab shows a turn that the other tab is in as one that can be resumed', async () => {
  const gate = deferred()
  const disk = new MemoryStore()
  const a = openPage(() => ({ text: 'A.', gate: gate.promise }), { store: disk })
  await untilIdle(a.session)
  const { turn } = await startTurn(a, 'one')
  const b = openPage([{ text: 'B.', hang: 'until-abort' }], { store: disk })
  await untilAsked(b.session)
  gate.resolve()
  await turn
  const stale = await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  expect([stale.resumable, stale.activity]).toEqual([true, undefined])
  await b.session.cancel()
})

test('messages stay the same objects when a stale tab catches up', async () => {
  const gate = deferred()
  const { a, b, storeA } = await twoTabs((request, index) =>
    index === 1 ? { text: 'Never said.', gate: gate.promise } : repeat(request),
  )
  // A database gives a copy at every read.
  storeA.break('read', async (go) => structuredClone(await go()))
  await a.session.send('one')
  const before = a.session.getSnapshot().messages
  const { turn } = await startTurn(a, 'two')
  await b.session.send('theirs')
  gate.resolve()
  await turn
  const { messages } = await until(a.session, ({ messages: now }) => now.length === 5)
  expect(messages.slice(0, 2).every((message, at) => message === before[at])).toBe(true)
})

test('an entry that this version must not skip makes the session read-only', async () => {
  const disk = new MemoryStore()
  await openPage(repeat, { store: disk }).session.send('one')
  const strange = { sequence: 6, at: 0, type: 'mood-changed', critical: true }
  // A kind of a later version.
  await disk.append('s', [strange as never])
  const { session } = openPage([], { store: disk })
  const { storage } = await untilIdle(session)
  expect(storage).toMatchObject({ state: 'blocked', reason: 'newer-version' })
  expect(shown(session)).toEqual(['user: one', 'assistant: You said one'])
  await expect(session.send('two')).rejects.toMatchObject({ code: 'newer-version' })
  await expect(session.rename('x')).rejects.toMatchObject({ code: 'newer-version' })
  expect(await disk.read('s')).toHaveLength(6)
})

test('an entry of an unknown kind that may be skipped is skipped and kept', async () => {
  const disk = new MemoryStore()
  await openPage(repeat, { store: disk }).session.send('one')
  // A kind of a later version.
  await disk.append('s', [{ sequence: 6, at: 0, type: 'mood-changed' } as never])
  const { session } = openPage(repeat, { store: disk })
  expect((await session.send('two')).text).toBe('You said two')
  expect((await disk.read('s'))[5]?.type).toBe('mood-changed')
})

test('closing a stale tab takes the session from nobody', async () => {
  const gate = deferred()
  const { storeA, a, b } = await twoTabs((request, index) =>
    index === 0 ? { text: 'Never said.', gate: gate.promise } : repeat(request),
  )
  const { turn } = await startTurn(a, 'one')
  a.session.send('two').catch(() => {})
  await b.session.send('theirs')
  gate.resolve()
  await turn
  await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  const { claim } = storeA.calls
  await a.session.close()
  expect(storeA.calls.claim).toBe(claim)
})

test('a stale tab takes the stored entry for its own only where it had stored it', async () => {
  const gate = deferred()
  const disk = new MemoryStore()
  const a = openPage(() => ({ text: 'From A.', gate: gate.promise }), { store: disk })
  await untilIdle(a.session)
  const { turn } = await startTurn(a, 'one')
  const b = openPage(['From B.'], { store: disk })
  await untilIdle(b.session)
  gate.resolve()
  const result = await turn
  await until(a.session, ({ storage, status }) => storage.state === 'ready' && status === 'idle')
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'From B.'])
  expect(shown(a.session)).toEqual(['user: one', 'assistant: From B.'])
  expect(a.session.getEntries()).toEqual(await disk.read('s'))
})

test('of two tabs that send at once one goes first, and the other takes nothing back', async () => {
  const { disk, storeA, storeB, a, b } = await twoTabs(repeat)
  const [one, two] = await Promise.all([a.session.send('one'), b.session.send('two')])
  await Promise.all([a.session.flush(), b.session.flush()])
  const kinds = [one.outcome.kind, two.outcome.kind].sort()
  expect(kinds).toEqual(['cancelled', 'completed'])
  const loser = one.outcome.kind === 'cancelled' ? one : two
  expect(loser.outcome).toMatchObject({ input: [{ type: 'text' }] })
  expect([storeA.calls.claim, storeB.calls.claim]).toEqual([1, 1])
  expect(logFaults(await disk.read('s'))).toEqual([])
})

test('an input in the stored queue whose turn is in the log already is over', async () => {
  const disk = new MemoryStore()
  await openPage(repeat, { store: disk }).session.send('one', { turnId: 'done' })
  const head = await disk.head('s')
  const input = { id: 'i', turnId: 'done', createdAt: 0, content: [{ type: 'text' as const, text: 'one' }] }
  if (head !== undefined) await disk.append('s', [], { head: { ...head, queue: [input] } })
  const { session, model } = openPage([], { store: disk })
  const seen = watchStatus(session)
  await untilIdle(session)
  expect([seen, model.requests.length]).toEqual([['loading', 'idle'], 0])
})
