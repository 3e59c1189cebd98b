import { manualClock } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { answerOf, entryAt, freshStore, refuseTransactions, watchOpens, watchTransactions } from './databases.ts'

test.each(['InvalidStateError', 'UnknownError', 'AbortError'])(
  'a connection lost by %s is opened again',
  async (error) => {
    const { store } = freshStore()
    await store.append('s', [entryAt(1)])
    const opens = watchOpens()
    const closes = vi.spyOn(IDBDatabase.prototype, 'close')
    refuseTransactions(error, 1)
    await store.append('s', [entryAt(2)])
    expect([opens.requests.length, closes.mock.calls.length]).toEqual([1, 1])
    expect(await store.read('s')).toEqual([entryAt(1), entryAt(2)])
  },
)

test('a connection lost twice is given up until the next call', async () => {
  const { store } = freshStore()
  await store.append('s', [entryAt(1)])
  const opens = watchOpens()
  refuseTransactions('UnknownError', 2)
  await expect(store.append('s', [entryAt(2)])).rejects.toMatchObject({ name: 'StorageError', code: 'disconnected' })
  expect(opens.requests).toHaveLength(1)
  await store.append('s', [entryAt(2)])
  expect(await store.read('s')).toHaveLength(2)
})

test('a browser whose storage has died is not asked all the time', async () => {
  const clock = manualClock()
  const { store } = freshStore({ clock })
  await store.append('s', [entryAt(1)])
  const opens = watchOpens()
  refuseTransactions('UnknownError', Number.POSITIVE_INFINITY)
  for (let call = 0; call < 1_000; call += 1) {
    await expect(store.append('s', [entryAt(2)])).rejects.toMatchObject({ code: 'disconnected' })
    await clock.advance(100)
  }
  // Some 100 seconds: pauses of half a second, twice as long each time, up to ten seconds; then two tries.
  expect(opens.requests.length).toBeLessThan(40)
  vi.restoreAllMocks()
  await clock.advance(10_000)
  await store.append('s', [entryAt(2)])
  await store.append('s', [entryAt(3)])
  // The channel on which the writes were told of waits for more.
  await clock.advance(2_000)
  expect([(await store.read('s')).length, clock.pending]).toEqual([3, 0])
})

test('a connection that the browser closed is opened again by the next call', async () => {
  const opens = watchOpens()
  const { store } = freshStore()
  await store.append('s', [entryAt(1)])
  const database = opens.requests[0]?.result
  database?.close()
  database?.dispatchEvent(new Event('close'))
  const transactions = watchTransactions()
  expect(await store.read('s')).toEqual([entryAt(1)])
  expect([opens.requests.length, transactions.calls.length]).toEqual([2, 1])
})

test('a connection that was closed and does not open again is disconnected', async () => {
  const opens = watchOpens()
  const { store } = freshStore()
  await store.list()
  const database = opens.requests[0]?.result
  database?.close()
  database?.dispatchEvent(new Event('close'))
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
    throw new DOMException('server lost', 'UnknownError')
  })
  await expect(store.list()).rejects.toMatchObject({ code: 'disconnected' })
  expect(await store.list()).toEqual([])
})

test('a call that cannot tell whether it wrote says disconnected', async () => {
  const { store } = freshStore()
  await store.list()
  refuseTransactions('UnknownError', 1)
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
    throw new DOMException('no more', 'SecurityError')
  })
  await expect(store.append('s', [entryAt(1)])).rejects.toMatchObject({ code: 'disconnected' })
})

/** Let the browser abort the next transaction while it reads. */
function abortNextRead(reason?: string): void {
  const { get } = IDBObjectStore.prototype
  vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementationOnce(function (this: IDBObjectStore, key) {
    const request = get.call(this, key)
    if (reason !== undefined) Object.defineProperty(this.transaction, 'error', { value: new DOMException('', reason) })
    this.transaction.abort()
    return request
  })
}

test('a read that the browser aborts is done once more', async () => {
  const { store } = freshStore()
  await store.append('s', [entryAt(1)])
  abortNextRead()
  expect(await store.read('s')).toEqual([entryAt(1)])
})

test('a write that is aborted while it reads tells the reason of the whole', async () => {
  const { store } = freshStore()
  abortNextRead('QuotaExceededError')
  await expect(store.append('s', [entryAt(1)])).rejects.toMatchObject({ code: 'quota-exceeded' })
})

test('a write whose answer was lost is not written twice', async () => {
  const { store } = freshStore()
  const commit = IDBTransaction.prototype.commit
  const commits = vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementationOnce(function (this: IDBTransaction) {
    commit.call(this)
    Object.defineProperty(this, 'error', { value: new DOMException('lost', 'UnknownError') })
    this.dispatchEvent(new Event('abort'))
  })
  await store.append('s', [entryAt(1), entryAt(2)])
  expect(commits).toHaveBeenCalledTimes(2)
  expect(await store.read('s')).toEqual([entryAt(1), entryAt(2)])
})

test('a write under way is finished before the connection gives way', async () => {
  const { store, name } = freshStore()
  let upgrade: Promise<IDBDatabase> | undefined
  await store.append('s', [entryAt(1)])
  const commit = IDBTransaction.prototype.commit
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementationOnce(function (this: IDBTransaction) {
    // Another tab wants an upgrade just now.
    upgrade = answerOf(indexedDB.open(name, 1000))
    commit.call(this)
  })
  await store.append('s', [entryAt(2)])
  const upgraded = await upgrade
  if (upgraded === undefined) throw new Error('nobody asked for an upgrade')
  expect(await answerOf(upgraded.transaction('entries').objectStore('entries').count())).toBe(2)
  upgraded.close()
})
