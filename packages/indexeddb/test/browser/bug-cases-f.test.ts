import { createAgent, importSession, openSession, tool } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { deleteDB } from 'idb'
import { expect, test, vi } from 'vitest'
import { MIGRATIONS } from '../../src/migrations.ts'
import {
  answerOf,
  entryAt,
  freshName,
  freshStore,
  nextOpen,
  openStubbornTab,
  refuseTransactions,
  watchOpens,
} from './databases.ts'

type Store = ReturnType<typeof freshStore>['store']

/** A session on a store, with the warnings that its page hears. */
function openPage(store: Store, tools: Parameters<typeof createAgent>[0]['tools'] = []) {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1)
    return tools.length > 0 && last?.role === 'user' ? { calls: [{ name: 'odd' }] } : 'Done.'
  })
  const clock = manualClock()
  const session = openSession({ agent: createAgent({ model, tools, clock }), id: 's', store })
  const warnings: string[] = []
  const listening = (async () => {
    for await (const event of session.events()) if (event.type === 'warning') warnings.push(event.message)
  })()
  return { session, model, clock, warnings, listening }
}

/** Let every database be refused from now on. */
function refuseOpening(refusal: () => IDBOpenDBRequest): void {
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(refusal)
}

test.each(['InvalidStateError', 'SecurityError'])(
  'a turn is answered where databases are refused with %s, and the page hears it once [F2]',
  async (refusal) => {
    refuseOpening(() => {
      throw new DOMException('not in a private window', refusal)
    })
    const { session, warnings, listening } = openPage(freshStore().store)
    expect((await session.send('Go')).text).toBe('Done.')
    expect((await session.send('Again')).text).toBe('Done.')
    expect(session.getSnapshot().storage).toMatchObject({ state: 'blocked', reason: 'storage-unavailable' })
    await session.close()
    await listening
    expect(warnings).toEqual([expect.stringContaining('is not being saved')])
  },
)

test('a database that never opens holds no turn up for good [F2]', async () => {
  // Neither success nor error ever comes.
  refuseOpening(() => new EventTarget() as IDBOpenDBRequest)
  const clock = manualClock()
  const store = indexedDbStore({ name: freshName(), clock })
  const { session, clock: pageClock } = openPage(store)
  const turn = session.send('Go')
  for (let second = 0; second < 30; second += 1) {
    await clock.advance(1_000)
    await pageClock.advance(1_000)
  }
  expect((await turn).text).toBe('Done.')
  expect(session.getSnapshot().storage.state).not.toBe('ready')
})

test('a storage server that is lost is reached by a new connection [F3]', async () => {
  const { store } = freshStore()
  for (let sequence = 1; sequence <= 4; sequence += 1) await store.append('s', [entryAt(sequence)])
  const opens = watchOpens()
  refuseTransactions('UnknownError', 1)
  await store.append('s', [entryAt(5)])
  expect([opens.requests.length, (await store.read('s')).length]).toEqual([1, 5])
})

test('a storage server that stays lost is asked ever less often, and told once [F3]', async () => {
  const clock = manualClock()
  const { store } = freshStore({ clock })
  const { session, clock: pageClock, warnings, listening } = openPage(store)
  await session.send('Go')
  const opens = watchOpens()
  refuseTransactions('UnknownError', Number.POSITIVE_INFINITY)
  for (const input of ['1', '2', '3']) expect((await session.send(input)).text).toBe('Done.')
  for (let second = 0; second < 120; second += 1) {
    await pageClock.advance(1_000)
    await clock.advance(1_000)
  }
  expect(opens.requests.length).toBeLessThan(50)
  vi.restoreAllMocks()
  await clock.advance(60_000)
  await session.flush()
  expect(session.getSnapshot().storage).toEqual({ state: 'ready', waiting: 0 })
  await session.close()
  await listening
  expect([warnings.length, (await store.read('s')).length]).toEqual([1, session.getEntries().length])
})

test('an older tab closes at once for a newer one, and says so [F5]', async () => {
  const { store, name } = freshStore()
  const { session } = openPage(store)
  await session.send('Go')
  const newer = await openStubbornTab(name, MIGRATIONS.length + 1)
  expect(newer.version).toBe(MIGRATIONS.length + 1)
  expect((await session.send('Again')).text).toBe('Done.')
  expect(session.getSnapshot().storage).toMatchObject({ state: 'blocked', reason: 'newer-version' })
})

test('a tab that does not close is named, and waited for no longer [F5]', async () => {
  const name = freshName()
  const older = await openStubbornTab(name, 1)
  const clock = manualClock()
  const opened = nextOpen()
  const store = indexedDbStore({ name, clock })
  const first = store.list().catch((error: unknown) => error)
  const request = await opened
  await new Promise((resolve) => request.addEventListener('blocked', resolve, { once: true }))
  await clock.advance(5_000)
  expect(await first).toMatchObject({ code: 'blocked-by-other-tab' })
  older.close()
  await answerOf(request)
  await vi.waitFor(() => store.blobs?.get('00'))
})

test('openings that race in one page are one [F5]', async () => {
  const opens = watchOpens()
  const { store } = freshStore()
  await Promise.all([store.list(), store.claim('s'), store.read('s')])
  expect(opens.requests).toHaveLength(1)
})

test('a result with odd values is stored in a plain form, whatever is in it [F6]', async () => {
  const value: Record<string, unknown> = {
    when: new Date(0),
    fn() {},
    proxy: new Proxy({ inner: 1 }, {}),
    error: new TypeError('x'),
    big: 10n,
    map: new Map([[1, 2]]),
  }
  value.self = value
  const odd = tool({ name: 'odd', description: 'Odd.', effect: 'read', execute: () => value })
  const { store } = freshStore()
  const { session } = openPage(store, [odd])
  expect((await session.send('Go')).text).toBe('Done.')
  await session.flush()
  expect(session.getSnapshot().storage).toEqual({ state: 'ready', waiting: 0 })
  expect(await store.read('s')).toEqual(session.getEntries())
  expect([value.self, value.when]).toEqual([value, new Date(0)])
  await session.close()
})

test('bytes are hashed before their transaction begins, never inside it [F7]', async () => {
  const { store } = freshStore()
  await store.list()
  const steps: string[] = []
  const { digest } = crypto.subtle
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (...args) => {
    const answer = await digest.apply(crypto.subtle, args)
    steps.push('hashed')
    return answer
  })
  const { transaction } = IDBDatabase.prototype
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
    steps.push('transaction')
    return transaction.apply(this, args)
  })
  await store.blobs?.put('s', Uint8Array.from([1]))
  expect(steps).toEqual(['hashed', 'transaction'])
})

test('entries, head and open reply are one transaction, of which nothing stays when it fails [F7]', async () => {
  const { store } = freshStore()
  const head = { id: 's', createdAt: 1, updatedAt: 1, lastSequence: 1, turns: 0, state: {}, usage: {}, queue: [] }
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementationOnce(function (this: IDBTransaction) {
    Object.defineProperty(this, 'error', { value: new DOMException('', 'QuotaExceededError') })
    this.abort()
  })
  await expect(store.append('s', [entryAt(1)], { head })).rejects.toMatchObject({ code: 'quota-exceeded' })
  expect([await store.read('s'), await store.list()]).toEqual([[], []])
})

test('a store that is empty although it had sessions says that they were deleted [F8]', async () => {
  const { store, name } = freshStore()
  const { session } = openPage(store)
  await session.send('Go')
  await session.close()
  const file = await session.export()
  await deleteDB(name)
  const onEvicted = vi.fn()
  const next = indexedDbStore({ name, onEvicted })
  expect(await next.list()).toEqual([])
  expect(onEvicted).toHaveBeenCalledTimes(1)

  // What was exported comes back.
  await importSession(file, { store: next })
  expect(await next.list()).toHaveLength(1)
})

test('nothing is said to be kept that the browser may delete [F8]', async () => {
  const { store } = freshStore()
  // Asked by nobody, or, as in WebKitGTK, with nobody to ask.
  expect((await store.usage()).isPersistent ?? false).toBe(false)
})
