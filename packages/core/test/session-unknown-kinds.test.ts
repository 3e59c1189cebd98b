import { type Entry, importSession, MemoryStore, type Session } from '@turnloop/core'
import { memoryTabs } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { openPage, repeat, shown, until, untilIdle } from './session-setup.ts'
import { openTab } from './tabs-setup.ts'

/** An entry of a later version. */
function strange(sequence: number, more: object = {}): Entry {
  return { sequence, at: 0, type: 'mood-changed', mood: 'fine', ...more } as unknown as Entry
}

/** A disk with a session of one turn and an entry that this version does not know. */
async function diskWithStrange(more: object = {}): Promise<MemoryStore> {
  const disk = new MemoryStore()
  const { session } = openPage(repeat, { store: disk })
  await session.send('one')
  await session.close()
  await disk.append('s', [strange((await disk.read('s')).length + 1, more)])
  return disk
}

function isKept(entries: readonly Entry[]): boolean {
  return entries.some((entry) => JSON.stringify(entry) === JSON.stringify(strange(entry.sequence)))
}

test('an unknown kind is kept in a branch', async () => {
  const disk = await diskWithStrange()
  const { session } = openPage(repeat, { store: disk })
  await session.send('two')
  const end = (await session.checkpoints()).at(-1)
  const branch = end === undefined ? undefined : await session.fork(end)
  expect(isKept(await disk.read(branch?.id ?? ''))).toBe(true)
})

test('an unknown kind is kept in an exported session and where that is imported', async () => {
  const { session } = openPage(repeat, { store: await diskWithStrange() })
  const file = await session.export()
  expect(isKept(file.entries)).toBe(true)
  const store = new MemoryStore()
  const id = await importSession(JSON.parse(JSON.stringify(file)), { store })
  expect(isKept(await store.read(id))).toBe(true)
  expect(shown(openedWith(store, id))).toEqual([])
  const opened = openedWith(store, id)
  await untilIdle(opened)
  expect(shown(opened)).toEqual(['user: one', 'assistant: You said one'])
})

function openedWith(store: MemoryStore, id: string): Session {
  return openPage(repeat, { store, id }).session
}

test('an unknown kind reaches followers, and the log stays whole where they go on', async () => {
  const tabs = memoryTabs({ disk: await diskWithStrange() })
  const [a, b] = [openTab(tabs), openTab(tabs)]
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  await a.session.send('two')
  await until(b.session, ({ messages }) => messages.length === 4)
  await b.session.send('three')
  expect([isKept(b.session.getEntries()), isKept(await tabs.disk.read('s'))]).toEqual([true, true])
  expect(b.session.getEntries()).toEqual(await tabs.disk.read('s'))
})

test('a branch from before what cannot be read can be gone on with', async () => {
  const disk = await diskWithStrange({ critical: true })
  const { session } = openPage(repeat, { store: disk })
  await untilIdle(session)
  const end = (await session.checkpoints()).at(-1)
  const branch = end === undefined ? undefined : await session.fork(end)
  expect((await branch?.send('two'))?.text).toBe('You said two')
})

const commands: Record<string, (session: Session) => Promise<unknown>> = {
  send: (session) => session.send('two'),
  retry: (session) => session.retry(),
  compact: (session) => session.compact(),
  undoCompaction: (session) => session.undoCompaction(),
  setState: (session) => session.setState({ a: 1 }),
  rename: (session) => session.rename('x'),
  addNote: (session) => session.addNote('x'),
  rewind: (session) => session.rewind({ sequence: 0, position: 'start', at: 0, isLeftBehind: false }),
}

test.each(Object.keys(commands))('%s is refused where the log cannot be read, and writes nothing', async (name) => {
  const disk = await diskWithStrange({ critical: true })
  const before = [await disk.read('s'), await disk.head('s')]
  const { session, model } = openPage(repeat, { store: disk })
  await untilIdle(session)
  await expect(commands[name]?.(session)).rejects.toMatchObject({ code: 'newer-version' })
  await session.close()
  expect([await disk.read('s'), await disk.head('s'), model.requests.length]).toEqual([...before, 0])
})

test('a cut turn is not gone on with where the log cannot be read', async () => {
  const disk = await diskWithStrange({ critical: true })
  const base = { at: 0, turnId: 'cut' }
  await disk.append('s', [{ ...base, sequence: 7, type: 'turn-started', agentName: 'a', modelId: 'm', history: true }])
  const { session, model } = openPage(repeat, { store: disk })
  const { storage } = await untilIdle(session)
  expect([storage.state, storage.reason, model.requests.length]).toEqual(['blocked', 'newer-version', 0])
  await expect(session.resume()).rejects.toMatchObject({ code: 'newer-version' })
})
