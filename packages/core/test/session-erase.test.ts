import {
  autoCompaction,
  MemoryStore,
  type ModelRequest,
  messageText,
  openSession,
  type Session,
  tool,
  type UserPart,
} from '@turnloop/core'
import { assertHistory, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isSummaryRequest } from './compacted-setup.ts'
import { type FaultyStore, faultyStore, refuse } from './faulty-store.ts'
import { logFaults, openPage, type PageOptions, repeat, shown, until, untilAsked, untilIdle } from './session-setup.ts'
import { openTabs, pageOf } from './tabs-setup.ts'

/** Looks someone up: its arguments and its result are as private as the question. */
const find = tool({
  name: 'find',
  description: 'Finds',
  input: z.object({ name: z.string() }),
  effect: 'read',
  execute: ({ name }) => `${name} lives in Zanzibar`,
})

const script = ({ messages }: ModelRequest) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return 'Found.'
  return JSON.stringify(last).includes('find')
    ? { text: 'Looking for Xanthippe.', calls: [{ name: 'find', input: { name: 'Xanthippe' } }] }
    : 'Fine.'
}

const SECRETS = /Xanthippe|Zanzibar/

/** Everything that a store has of session `s`, and what the session shows and exports. */
async function traces(session: Session, store: MemoryStore): Promise<string[]> {
  const places = {
    log: await store.read('s'),
    head: await store.head('s'),
    open: await store.open('s'),
    entries: session.getEntries(),
    snapshot: { ...session.getSnapshot(), calls: [...session.getSnapshot().calls] },
    file: await session.export(),
  }
  return Object.entries(places).flatMap(([name, place]) => (SECRETS.test(JSON.stringify(place)) ? name : []))
}

const idOf = (session: Session, index: number): string => session.getSnapshot().messages.at(index)?.id ?? 'none'

const open = (store: MemoryStore | FaultyStore, options: PageOptions = {}) =>
  openPage(script, { store, tools: [find], ...options })

test('an erased question is nowhere any more, and its place is kept', async () => {
  const store = new MemoryStore()
  const { session, model } = open(store)
  await session.send('Where does Xanthippe live?')
  await session.erase(idOf(session, 0))
  expect(await traces(session, store)).toEqual([])
  expect(shown(session)).toEqual(['user: [Erased.]', 'assistant: Fine.'])
  await session.send('And?')
  expect(model.violations).toEqual([])
  expect(JSON.stringify(model.requests.at(-1))).not.toMatch(SECRETS)
  expect((await store.head('s'))?.title).toBe('And?')
})

test('a name that was replaced goes with what it told of', async () => {
  const store = new MemoryStore()
  const { session } = open(store)
  await session.send('Where does Xanthippe live?')
  await session.rename('Xanthippe')
  await session.rename('Somebody')
  await session.erase(idOf(session, 0))
  expect(await traces(session, store)).toEqual([])
  expect([session.getSnapshot().title, (await store.head('s'))?.title]).toEqual(['Somebody', 'Somebody'])
})

test('an erased reply takes its arguments, results and what hung on them along', async () => {
  const store = new MemoryStore()
  const { session, model } = open(store)
  await session.send('find her')
  await session.erase(idOf(session, 1))
  expect(await traces(session, store)).toEqual([])
  expect(shown(session)).toEqual(['user: find her', 'assistant: [Erased.]', 'tool: ok', 'assistant: Found.'])
  await session.send('And?')
  expect(model.violations).toEqual([])
})

test('of an erased tool message only the results go', async () => {
  const store = new MemoryStore()
  const { session } = open(store)
  await session.send('find her')
  await session.erase(idOf(session, 2))
  const text = JSON.stringify(await store.read('s'))
  expect([text.includes('Zanzibar'), text.includes('Xanthippe')]).toEqual([false, true])
})

test('a large file goes with the message that held it', async () => {
  const store = new MemoryStore()
  const { session } = open(store)
  const photo: UserPart[] = [
    { type: 'text', text: 'See' },
    { type: 'file', mediaType: 'image/png', data: { base64: btoa('\u00ff'.repeat(75_000)) } },
  ]
  await session.send(photo)
  await session.flush()
  const [hash] = JSON.stringify(await store.read('s')).match(/[0-9a-f]{64}/) ?? []
  expect(await session.readBlob(hash ?? '')).toBeDefined()
  await session.erase(idOf(session, 0))
  expect(await session.readBlob(hash ?? '')).toBeUndefined()
})

test('a reload shows what is left, and checkpoints still work', async () => {
  const store = new MemoryStore()
  const { session, agent } = open(store)
  await session.send('find her')
  await session.send('Thanks')
  await session.erase(idOf(session, 1))
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  const checkpoints = await again.checkpoints()
  expect(again.getSnapshot().messages).toEqual(session.getSnapshot().messages)
  expect(logFaults(await store.read('s'))).toEqual([])
  const end = checkpoints.find(({ position }) => position === 'end')
  if (end === undefined) throw new Error('no end')
  const fork = await again.fork(end)
  await again.rewind(end)
  for (const one of [fork, again]) {
    expect((await one.send('Go on')).outcome.kind).toBe('completed')
    assertHistory(one.getSnapshot().messages)
  }
})

test('a compaction that told of it is taken back', async () => {
  const store = new MemoryStore()
  const filler = 'words and words '.repeat(60)
  const { session, model } = openPage(
    (request, index) => (isSummaryRequest(request) ? 'Xanthippe asked.' : `Reply ${index} ${filler}`),
    { store, compaction: autoCompaction({ window: 100_000 }) },
  )
  await session.send('I am Xanthippe')
  for (const turn of [1, 2, 3, 4, 5]) await session.send(`Question ${turn}`)
  const id = idOf(session, 0)
  await session.compact()
  await session.erase(id)
  expect(await traces(session, store)).toEqual([])
  expect(shown(session).slice(0, 3)).toEqual([
    'user: [Erased.]',
    expect.stringContaining('Reply 0'),
    'user: Question 1',
  ])
  await session.send('More')
  expect(model.violations).toEqual([])
})

test('an input that still waits is taken back', async () => {
  const store = new MemoryStore()
  const { session } = openPage([{ text: 'Never.', gate: new Promise<void>(() => {}) }], { store })
  session.send('One').catch(() => {})
  const second = session.send('I am Xanthippe')
  await untilAsked(session)
  await session.erase(session.getSnapshot().queue[0]?.id ?? '')
  expect((await second).outcome.kind).toBe('cancelled')
  await session.flush()
  expect(JSON.stringify(await store.head('s'))).not.toMatch(SECRETS)
})

test('a turn that waits for people ends before its message goes', async () => {
  const store = new MemoryStore()
  const { session } = openPage(script, {
    store,
    tools: [tool({ name: 'find', description: 'Finds', needsApproval: true, execute: () => '' })],
  })
  await session.send('find Xanthippe')
  await session.erase(idOf(session, 0))
  await session.erase(idOf(session, 1))
  expect(session.getSnapshot()).toMatchObject({ status: 'idle', pending: [], outcome: { kind: 'cancelled' } })
  expect(await traces(session, store)).toEqual([])
  assertHistory(session.getSnapshot().messages)
})

test('it waits for the running turn', async () => {
  const store = new MemoryStore()
  const gate = deferred()
  const { session } = openPage([{ text: 'Fine.', gate: gate.promise }], { store })
  const sent = session.send('I am Xanthippe')
  await untilAsked(session)
  const erased = session.erase(idOf(session, 0))
  gate.resolve()
  await Promise.all([sent, erased])
  expect(await traces(session, store)).toEqual([])
})

test('other pages follow, and a follower can ask for it', async () => {
  const { pages, disk } = await openTabs([repeat, repeat])
  const [first, second] = [pageOf(pages, 0), pageOf(pages, 1)]
  await first.session.send('I am Xanthippe')
  await until(second.session, ({ messages }) => messages.length === 2)
  await second.session.erase(idOf(second.session, 0))
  await second.session.erase(idOf(second.session, 1))
  await until(first.session, ({ messages }) =>
    messages.every((message) => message.role !== 'tool' && messageText(message) === '[Erased.]'),
  )
  for (const { session } of pages) expect(JSON.stringify(session.getEntries())).not.toMatch(SECRETS)
  expect(JSON.stringify(await disk.read('s'))).not.toMatch(SECRETS)
})

test('a message that is erased twice is erased once, and one that is not there is refused', async () => {
  const store = new MemoryStore()
  const { session } = open(store)
  await session.send('I am Xanthippe')
  const id = idOf(session, 0)
  await session.erase(id)
  await session.erase(id)
  expect(session.getEntries().filter(({ type }) => type === 'erased')).toHaveLength(1)
  await expect(session.erase('nobody')).rejects.toMatchObject({ code: 'bad-input' })
})

test('where not everything is saved, nothing is erased, here neither, and the page is told', async () => {
  const store = faultyStore()
  const { session } = open(store)
  await session.send('I am Xanthippe')
  store.break('append', refuse('storage-unavailable'))
  session.addNote('Unsaved').catch(() => {})
  await expect(session.erase(idOf(session, 0))).rejects.toMatchObject({ code: 'storage-unavailable' })
  expect(shown(session)[0]).toBe('user: I am Xanthippe')
  store.mend()
  await session.erase(idOf(session, 0))
  expect(await traces(session, store.disk)).toEqual([])
})

test('what a store refuses to erase is gone here, the page is told, and the store follows', async () => {
  const store = faultyStore()
  const { session } = open(store)
  await session.send('I am Xanthippe')
  store.break('rewrite', refuse('quota-exceeded'))
  await expect(session.erase(idOf(session, 0))).rejects.toMatchObject({ code: 'quota-exceeded' })
  expect([shown(session)[0], session.getSnapshot().storage]).toMatchObject([
    'user: [Erased.]',
    { state: 'full', waiting: 1 },
  ])
  store.mend()
  await session.flush()
  expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
  expect(await traces(session, store.disk)).toEqual([])
})

test('a page that goes at any instant of an erasure leaves all of it or nothing', async () => {
  const ends = new Set<boolean>()
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const store = new MemoryStore()
    const { session } = open(store)
    await session.send('I am Xanthippe')
    session.erase(idOf(session, 0)).catch(() => {})
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    await session.close({ running: 'leave' })
    const stored = await store.read('s')
    const isTold = stored.some(({ type }) => type === 'erased')
    expect(stored.some(({ erased }) => erased)).toBe(isTold)
    ends.add(isTold)
  }
  expect(ends).toEqual(new Set([false, true]))
})

test('a page whose erasure came too late shows again what is stored', async () => {
  const store = faultyStore()
  const { session } = open(store)
  await session.send('I am Xanthippe')
  store.breakNext('rewrite', async (go) => {
    await store.disk.claim('s')
    return go()
  })
  await expect(session.erase(idOf(session, 0))).rejects.toMatchObject({ code: 'stale-fence' })
  await session.send('And now?')
  expect(shown(session)[0]).toBe('user: I am Xanthippe')
  expect(await store.disk.read('s')).toEqual(session.getEntries())
})

test('a store that cannot rewrite says what it lacks', async () => {
  const store = new MemoryStore()
  Object.defineProperty(store, 'rewrite', { value: undefined })
  const { session } = open(store)
  await session.send('I am Xanthippe')
  await expect(session.erase(idOf(session, 0))).rejects.toThrow('its store has no rewrite()')
  await untilIdle(session)
})
