import { expect, test, vi } from 'vitest'
import { entryAt, freshStore, watchTransactions } from './databases.ts'

/** Let the next transaction be aborted by a full disk: its requests get AbortError, only it knows the reason. */
function fillDisk(): void {
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementationOnce(function (this: IDBTransaction) {
    Object.defineProperty(this, 'error', { value: new DOMException('', 'QuotaExceededError') })
    this.abort()
  })
}

test('a full disk is named, with what is used, and leaves nothing behind', async () => {
  const { store } = freshStore()
  await store.append('s', [entryAt(1)])
  fillDisk()
  const refusal = await store.append('s', [entryAt(2), entryAt(3)]).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ name: 'StorageError', code: 'quota-exceeded' })
  // Where the browser tells.
  const figures = { usedBytes: expect.any(Number), quotaBytes: expect.any(Number) }
  if ('storage' in navigator && 'estimate' in navigator.storage) expect(refusal).toMatchObject({ facts: figures })
  expect(await store.read('s')).toEqual([entryAt(1)])
})

test('a full disk is tried once, not again on a new connection', async () => {
  const { store } = freshStore()
  await store.list()
  fillDisk()
  const transactions = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await expect(store.append('s', [entryAt(1)])).rejects.toMatchObject({ code: 'quota-exceeded' })
  expect(transactions).toHaveBeenCalledTimes(1)
})

test('room on the disk again lets the same append through', async () => {
  const { store } = freshStore()
  fillDisk()
  await expect(store.append('s', [entryAt(1)])).rejects.toMatchObject({ code: 'quota-exceeded' })
  await store.append('s', [entryAt(1)])
  expect(await store.read('s')).toEqual([entryAt(1)])
})

test('a value without a copy leaves the transaction aborted, not half written', async () => {
  const { store } = freshStore()
  const aborts = vi.spyOn(IDBTransaction.prototype, 'abort')
  await expect(store.append('s', [entryAt(1), entryAt(2, document.body)])).rejects.toMatchObject({
    code: 'not-cloneable',
    facts: { path: 'entries[1].patch.note' },
  })
  expect(aborts).toHaveBeenCalledTimes(1)
  expect(await store.read('s')).toEqual([])
})

test('a getter that throws is a value without a copy', async () => {
  const { store } = freshStore()
  const note = {
    get lazy(): string {
      throw new Error('not now')
    },
  }
  const refusal = await store.append('s', [entryAt(1, note)]).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'not-cloneable', facts: { path: 'entries[0].patch.note' } })
})

test('an append is one transaction that commits after its last put', async () => {
  const { store } = freshStore()
  await store.list()
  const steps: string[] = []
  const { transaction } = IDBDatabase.prototype
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
    steps.push('transaction')
    const started = transaction.apply(this, args)
    started.addEventListener('complete', () => steps.push('complete'))
    return started
  })
  const { add, put } = IDBObjectStore.prototype
  const { commit } = IDBTransaction.prototype
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(recorded('add', add, steps))
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(recorded('put', put, steps))
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(recorded('commit', commit, steps))
  await store.append('s', [entryAt(1), entryAt(2)])
  steps.push('resolved')
  expect(steps).toEqual(['transaction', 'add', 'add', 'put', 'commit', 'complete', 'resolved'])
})

/** The same method, which also writes down that it was called. */
function recorded<This, Args extends unknown[], Answer>(
  step: string,
  method: (this: This, ...args: Args) => Answer,
  steps: string[],
): (this: This, ...args: Args) => Answer {
  return function (...args) {
    steps.push(step)
    return method.apply(this, args)
  }
}

test('an append is strict only when it is asked to be', async () => {
  const { store } = freshStore()
  const transactions = watchTransactions()
  await store.append('s', [entryAt(1)])
  await store.append('s', [entryAt(2)], { strict: true })
  const durability = transactions.calls.map(([, , options]) => options?.durability)
  expect(durability).toEqual(['relaxed', 'strict'])
})

test('an append touches what it adds, however long the log', async () => {
  const { store } = freshStore()
  await store.append(
    's',
    Array.from({ length: 500 }, (_, index) => entryAt(index + 1)),
  )
  const requests = (['get', 'getAll', 'add', 'put', 'openCursor', 'delete'] as const).map((method) =>
    vi.spyOn(IDBObjectStore.prototype, method),
  )
  await store.append('s', [entryAt(501)])
  expect(requests.map((spy) => spy.mock.calls.length)).toEqual([1, 0, 1, 1, 0, 0])
})
