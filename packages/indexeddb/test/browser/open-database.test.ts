import { manualClock } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { MIGRATIONS, type Migration } from '../../src/migrations.ts'
import { type Connection, connectDatabase } from '../../src/open-database.ts'
import { answerOf, eventOf, freshName, freshStore, nextOpen, openStubbornTab, watchOpens } from './databases.ts'

const NEXT_MIGRATIONS: readonly Migration[] = [...MIGRATIONS, () => {}]

function connect(name: string, migrations = MIGRATIONS, clock = manualClock()): Connection {
  return connectDatabase({ name, migrations, openTimeoutMs: 5_000, clock })
}

const nameOfDatabase = (connection: Connection): Promise<string> => connection.use(async (database) => database.name)

test('a database opens at the first call, once for all', async () => {
  const opens = watchOpens()
  const { store } = freshStore()
  expect(opens.requests).toHaveLength(0)
  await Promise.all([store.list(), store.read('s'), store.claim('s')])
  await store.list()
  expect(opens.requests).toHaveLength(1)
})

test('an upgrade that an older tab blocks is refused after its time', async () => {
  const name = freshName()
  await openStubbornTab(name, 1)
  const clock = manualClock()
  const opened = nextOpen()
  const answer = nameOfDatabase(connect(name, NEXT_MIGRATIONS, clock)).catch((error: unknown) => error)
  await eventOf(await opened, 'blocked')
  await clock.advance(5_000)
  expect(await answer).toMatchObject({ code: 'blocked-by-other-tab', facts: { database: name } })
})

test('a blocked upgrade goes on behind, so a later call succeeds', async () => {
  const name = freshName()
  const olderTab = await openStubbornTab(name, 1)
  const clock = manualClock()
  const opened = nextOpen()
  const connection = connect(name, NEXT_MIGRATIONS, clock)
  const first = nameOfDatabase(connection).catch(() => 'refused')
  const request = await opened
  await eventOf(request, 'blocked')
  await clock.advance(5_000)
  expect(await first).toBe('refused')

  // Still blocked: refused at once, without waiting again.
  await expect(nameOfDatabase(connection)).rejects.toMatchObject({ code: 'blocked-by-other-tab' })
  olderTab.close()
  await answerOf(request)
  expect(await nameOfDatabase(connection)).toBe(name)
  expect(clock.pending).toBe(0)
})

test('a connection gives way to an upgrade by another tab', async () => {
  const { store, name } = freshStore()
  await store.list()
  const upgraded = await openStubbornTab(name, MIGRATIONS.length + 1)
  expect(upgraded.version).toBe(MIGRATIONS.length + 1)
  await expect(store.list()).rejects.toMatchObject({ name: 'StorageError', code: 'newer-version' })
})

test('a connection gives way to a deletion and starts afresh', async () => {
  const { store, name } = freshStore()
  const { fence } = await store.claim('s')
  const deletion = indexedDB.deleteDatabase(name)
  const blocked = vi.fn()
  deletion.addEventListener('blocked', blocked)
  await answerOf(deletion)
  expect(blocked).not.toHaveBeenCalled()
  expect(await store.read('s')).toEqual([])
  await expect(store.append('s', [], { fence })).rejects.toMatchObject({ code: 'stale-fence' })
})

test('an open that never answers is refused after its time', async () => {
  const name = freshName()
  const held = await openStubbornTab(name, 1)
  const deletion = indexedDB.deleteDatabase(name)
  await eventOf(deletion, 'blocked')

  // Waits behind the deletion, and hears of nothing.
  const clock = manualClock()
  const connection = connect(name, MIGRATIONS, clock)
  const first = nameOfDatabase(connection).catch((error: unknown) => error)
  await clock.advance(5_000)
  expect(await first).toMatchObject({ code: 'storage-unavailable', facts: { openTimeoutMs: 5_000 } })
  held.close()
})

test('no timer is left once a database has opened, or was refused', async () => {
  const clock = manualClock()
  const name = freshName()
  await nameOfDatabase(connect(name, NEXT_MIGRATIONS, clock))
  await expect(nameOfDatabase(connect(name, MIGRATIONS, clock))).rejects.toMatchObject({ code: 'newer-version' })
  expect(clock.pending).toBe(0)
})

test('a newer schema on disk is refused by name', async () => {
  const name = freshName()
  await openStubbornTab(name, 99)
  await expect(nameOfDatabase(connect(name))).rejects.toMatchObject({ code: 'newer-version' })
})

test.each(['SecurityError', 'InvalidStateError', 'UnknownError'])(
  'an open refused with %s is not remembered',
  async (refusal) => {
    const { store } = freshStore()
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
      throw new DOMException('refused', refusal)
    })
    await expect(store.list()).rejects.toMatchObject({ name: 'StorageError', code: 'storage-unavailable' })
    expect(await store.list()).toEqual([])
  },
)

test('a disk that is too full to open a database is named', async () => {
  const { store } = freshStore()
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
    throw new DOMException('', 'QuotaExceededError')
  })
  await expect(store.list()).rejects.toMatchObject({ code: 'quota-exceeded' })
})

test('a browser that forbids the mention of indexedDB is told as such', async () => {
  const { store } = freshStore()
  const own = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB')
  Object.defineProperty(globalThis, 'indexedDB', {
    configurable: true,
    get() {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    },
  })
  await expect(store.list()).rejects.toMatchObject({ code: 'storage-unavailable' })
  if (own) Object.defineProperty(globalThis, 'indexedDB', own)
  else Reflect.deleteProperty(globalThis, 'indexedDB')
  expect(await store.list()).toEqual([])
})

test('an upgrade runs each step that the database has not seen', async () => {
  const name = freshName()
  const steps: string[] = []
  const step =
    (label: string): Migration =>
    () =>
      void steps.push(label)
  const old = connect(name, [...MIGRATIONS, step('second')])
  await nameOfDatabase(old)
  await nameOfDatabase(connect(name, [...MIGRATIONS, step('second'), step('third'), step('fourth')]))
  expect(steps).toEqual(['second', 'third', 'fourth'])
})
