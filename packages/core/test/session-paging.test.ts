import { type Entry, type EntryDraft, openSession } from '@turnloop/core'
import { memoryTabs } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { faultyStore, refuse } from './faulty-store.ts'
import { diskWith, logOf } from './paging-setup.ts'
import { reply, started, toolStarted, user } from './reduce-setup.ts'
import { effectTool, kinds, logFaults, openPage, repeat, shown, until, untilIdle } from './session-setup.ts'
import { diskFaults, openTab, pageOf } from './tabs-setup.ts'

/** A log of so many turns, of four entries and two messages each, and what comes after. */
function talk(turns: number, ...after: EntryDraft[]): Entry[] {
  const log = [...logOf(Array.from({ length: turns }, () => ({ kind: 'talk' as const, pick: 1 })))]
  for (const draft of after) log.push({ sequence: log.length + 1, at: log.length + 1, ...draft })
  return log
}

async function openLong(turns = 100, ...after: EntryDraft[]) {
  const store = faultyStore(await diskWith(talk(turns, ...after)))
  const page = openPage(repeat, { store })
  await untilIdle(page.session)
  return { ...page, store }
}

test('a long session is shown by its end, after one read', async () => {
  const { session, store } = await openLong()
  const { messages, hasEarlier, usage, status } = session.getSnapshot()
  expect([messages.length, hasEarlier, status]).toEqual([100, true, 'idle'])
  expect(messages.at(-1)?.id).toBe('t99-a')
  expect(usage).toEqual({ inputTokens: 300 })
  expect(store.calls).toMatchObject({ read: 1, head: 1, claim: 0 })
})

test('a session of two hundred entries is read in one go', async () => {
  const { session, store } = await openLong(50)
  expect(session.getSnapshot()).toMatchObject({ hasEarlier: false })
  expect(session.getSnapshot().messages).toHaveLength(100)
  await session.send('More')
  expect(store.calls.read).toBe(1)
})

test('older messages come before those that are shown, which stay as they are', async () => {
  const { session } = await openLong()
  const before = session.getSnapshot().messages
  await session.loadEarlier(20)
  const { messages, hasEarlier } = session.getSnapshot()
  expect([messages.length, hasEarlier]).toEqual([120, true])
  expect(messages.slice(20).every((message, at) => message === before[at])).toBe(true)
  await session.loadEarlier(500)
  expect([session.getSnapshot().messages.length, session.getSnapshot().hasEarlier]).toEqual([200, false])
})

test('asked for older messages twice at a time, a session shows them once', async () => {
  const { session } = await openLong()
  await Promise.all([session.loadEarlier(20), session.loadEarlier(20)])
  expect(session.getSnapshot().messages).toHaveLength(120)
  await expect(session.loadEarlier(0)).rejects.toMatchObject({ code: 'bad-option' })
})

test('the model is asked with the whole transcript, and what is shown only grows at its end', async () => {
  const { session, model } = await openLong()
  const result = await session.send('And now?')
  expect(model.requests[0]?.messages).toHaveLength(201)
  expect(result.messages).toHaveLength(202)
  expect(session.getSnapshot()).toMatchObject({ hasEarlier: true })
  expect(session.getSnapshot().messages).toHaveLength(102)
})

test('a turn in a session known by its end leaves a head that is true of all of it', async () => {
  const { session, store } = await openLong()
  await session.send('And now?')
  const head = await store.disk.head('s')
  expect(head).toMatchObject({ title: 't0-u', createdAt: 1, turns: 101, lastSequence: 405 })
  expect(head).not.toHaveProperty('isNamed')
})

test('a title that somebody gave is known from the head', async () => {
  const named: EntryDraft = { type: 'session-changed', title: 'Trip' }
  const log = [named, ...talk(100)].map((entry, at) => ({ ...entry, sequence: at + 1, at }))
  const { session } = openPage([], { store: await diskWith(log) })
  expect((await untilIdle(session)).title).toBe('Trip')
  expect((await openLong()).session.getSnapshot()).not.toHaveProperty('title')
})

test('an old turn that is sent once more is found before what is shown', async () => {
  const { session, model } = await openLong()
  const again = await session.send('t0-u', { turnId: 't0' })
  expect([again.text, again.messages.length, model.requests.length]).toEqual(['t0-a', 2, 0])
})

test('checkpoints, exports and branches are of the whole log', async () => {
  const { session } = await openLong()
  expect((await session.export()).entries).toHaveLength(400)
  const checkpoints = (await openLong()).session.checkpoints()
  expect((await checkpoints).filter(({ position }) => position === 'end')).toHaveLength(100)
  const { session: other } = await openLong()
  const branch = await other.fork({ sequence: 8, position: 'end', at: 0, isLeftBehind: false })
  expect(shown(await untilIdle(branch).then(() => branch))).toEqual([
    ...['user: t0-u', 'assistant: t0-a', 'user: t1-u', 'assistant: t1-a'],
  ])
})

test('a rewind to a place before the end that was read shows what led there', async () => {
  const { session } = await openLong()
  const [place] = (await session.checkpoints()).filter(({ sequence }) => sequence === 40)
  if (place !== undefined) await session.rewind(place)
  expect(shown(session).slice(-1)).toEqual(['assistant: t9-a'])
  expect(session.getSnapshot().messages.length).toBeGreaterThanOrEqual(10)
})

test('where a rewind left nothing of the end, more is read before the session is shown', async () => {
  const { session } = await openLong(200, { type: 'rewound', to: 40, critical: true })
  const { messages, hasEarlier } = session.getSnapshot()
  expect([messages.length > 0, messages.at(-1)?.id]).toEqual([true, 't9-a'])
  expect(hasEarlier).toBe(messages.length < 20)
})

test('a summary of all that came before is shown at once', async () => {
  const sum = { id: 'sum', role: 'user', createdAt: 0, content: [], synthetic: 'summary' } as const
  const hides = [[1, 380]] as const
  const { session, store } = await openLong(100, { type: 'overlay', id: 'o', by: 'compaction', hides, shows: [sum] })
  const { messages, hasEarlier } = session.getSnapshot()
  expect([messages[0]?.id, messages.length, hasEarlier, store.calls.read]).toEqual(['sum', 11, false, 1])
})

test('a turn longer than what is read first is read to its beginning', async () => {
  const calls = Array.from({ length: 120 }, (_, at) => [reply(`a${at}`, `c${at}`), toolStarted(`c${at}`)]).flat()
  const drafts = [started, user('u'), ...calls].map((draft) => ({ ...draft, turnId: 'long' }))
  const { session } = openPage([], { store: await diskWith(talk(100, ...drafts)), resume: 'manual' })
  const { messages, resumable, hasEarlier } = await untilIdle(session)
  expect([messages.at(-121)?.id, resumable, hasEarlier]).toEqual(['u', true, true])
})

test('a turn that was cut goes on by itself, with all that came before it', async () => {
  const pay = effectTool('pay', 'unsafe')
  const cut = [started, user('u'), reply('a', 'c'), toolStarted('c')].map((draft) => ({ ...draft, turnId: 'cut' }))
  const { session, model } = openPage(['Well.'], { store: await diskWith(talk(100, ...cut)), tools: [pay.tool] })
  await until(session, ({ outcome }) => outcome?.kind === 'completed')
  await untilIdle(session)
  expect(model.requests[0]?.messages).toHaveLength(203)
  expect([logFaults(session.getEntries()), kinds(session.getEntries()).at(-1)]).toEqual([[], 'turn-ended'])
})

test('where older messages cannot be read, a session says why and shows what it has', async () => {
  const { session, store } = await openLong()
  store.breakNext('read', refuse('disconnected'))
  await expect(session.loadEarlier()).rejects.toMatchObject({ code: 'disconnected' })
  expect(session.getSnapshot().messages).toHaveLength(100)
  await session.loadEarlier()
  expect(session.getSnapshot().messages).toHaveLength(150)
})

test('a turn goes on with what is known where the rest cannot be read, and loses nothing', async () => {
  const { session, store, model } = await openLong()
  store.break('read', refuse('disconnected'))
  expect((await session.send('Still there?')).text).toBe('You said Still there?')
  expect(model.requests[0]?.messages).toHaveLength(101)
  await session.flush()
  store.mend()
  await session.send('And now?')
  expect(model.requests[1]?.messages).toHaveLength(203)
  expect(logFaults(await store.disk.read('s'))).toEqual([])
  expect(await store.disk.head('s')).toMatchObject({ turns: 102, createdAt: 1, title: 't0-u' })
})

test('nothing is taken back in a log of which the beginning cannot be read', async () => {
  const { session, store } = await openLong()
  store.break('read', refuse('disconnected'))
  const end = { sequence: 400, position: 'end', at: 0, isLeftBehind: false } as const
  await expect(session.rewind(end)).rejects.toMatchObject({ code: 'disconnected' })
  await expect(session.undoCompaction()).rejects.toMatchObject({ code: 'disconnected' })
  await expect(session.checkpoints()).rejects.toMatchObject({ code: 'disconnected' })
})

test('what cannot be read makes a session read-only, also where it is found late', async () => {
  const log = talk(100)
  // Of a version that is not this one.
  log[5] = { sequence: 6, at: 0, type: 'mood-changed', critical: true } as unknown as Entry
  const { session } = openPage(repeat, { store: await diskWith(log) })
  await untilIdle(session)
  await expect(session.send('Well?')).rejects.toMatchObject({ code: 'newer-version' })
  expect(session.getSnapshot().storage).toMatchObject({ state: 'blocked', reason: 'newer-version' })
})

test('followers of a long session join by its end, and are told the whole of what they send', async () => {
  const tabs = memoryTabs({ disk: await diskWith(talk(100)) })
  const pages = [openTab(tabs), openTab(tabs)]
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  await Promise.all([a.session.send('one'), until(b.session, ({ messages }) => messages.length === 102)])
  const [, said] = await Promise.all([a.session.send('two'), b.session.send('three')])
  expect(said.messages).toHaveLength(206)
  expect(shown(a.session)).toEqual(shown(b.session))
  expect([await diskFaults(tabs.disk), b.session.getEntries()]).toEqual([[], await tabs.disk.read('s')])
})

test('a follower that knows the end of a log shows a rewind to before it', async () => {
  const state: EntryDraft = { type: 'state-changed', patch: { at: 'the end' } }
  const tabs = memoryTabs({ disk: await diskWith(talk(100, state)) })
  const pages = [openTab(tabs), openTab(tabs)]
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  const place = (await a.session.checkpoints()).find(({ sequence }) => sequence === 40)
  if (place !== undefined) await a.session.rewind(place)
  const isBack = await until(b.session, ({ messages }) => messages.at(-1)?.id === 't9-a')
  expect(isBack.messages.length).toBeGreaterThanOrEqual(10)
  await until(b.session, (snapshot) => JSON.stringify(snapshot.state) === '{}')
})

test('closed while older messages are read, a session stays as it was', async () => {
  const { agent, store, session } = await openLong()
  const reading = session.loadEarlier().catch(() => {})
  await session.close()
  await reading
  await expect(session.loadEarlier()).rejects.toMatchObject({ code: 'session-closed' })
  const again = openSession({ agent, id: 's', store })
  expect((await untilIdle(again)).messages).toHaveLength(100)
})
