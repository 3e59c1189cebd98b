import type { Entry, OpenReply, SessionHead } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { afterEach, expect, test, vi } from 'vitest'

const METHODS = ['get', 'getAll', 'put', 'add', 'delete', 'openCursor'] as const

afterEach(() => {
  vi.restoreAllMocks()
})

/** What is asked of the database while something is done, by object store. */
async function requestsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const method of METHODS) {
    // Each of them is called with what it was given, whatever that is.
    const original = IDBObjectStore.prototype[method] as (...given: unknown[]) => never
    const counted = function counted(this: IDBObjectStore, ...given: unknown[]): never {
      const key = `${method} ${this.name}`
      counts[key] = (counts[key] ?? 0) + 1
      return original.apply(this, given)
    }
    vi.spyOn(IDBObjectStore.prototype, method).mockImplementation(counted)
  }
  await work()
  vi.restoreAllMocks()
  return counts
}

const entryAt = (sequence: number): Entry => ({ sequence, at: 0, type: 'checkpoint', position: 'reply' })

const OPEN: OpenReply = {
  turnId: 't',
  message: {
    id: 'a',
    role: 'assistant',
    createdAt: 0,
    content: [{ type: 'text', text: 'Once' }],
    stopReason: 'endTurn',
  },
}

const headAt = (lastSequence: number): SessionHead => ({
  ...{ id: 's', createdAt: 0, updatedAt: 0, lastSequence, turns: 1, state: {}, usage: {}, queue: [] },
})

async function filled(count: number) {
  const store = indexedDbStore({ name: `cost-${count}-${crypto.randomUUID()}` })
  const { fence } = await store.claim('s')
  await store.append(
    's',
    Array.from({ length: count }, (_, index) => entryAt(index + 1)),
    { fence, head: headAt(count) },
  )
  let last = count
  const append = (open: OpenReply | null = null): Promise<void> => {
    last += 1
    return store.append('s', [entryAt(last)], { fence, head: headAt(last), open })
  }
  return { store, append }
}

test('an append asks the same of the database whatever is in the log', async () => {
  const [short, long] = [await filled(10), await filled(3000)]
  await short.append()
  await long.append()
  const expected = { 'get logs': 1, 'add entries': 1, 'put logs': 1, 'put heads': 1 }
  expect(await requestsOf(() => short.append())).toEqual(expected)
  expect(await requestsOf(() => long.append())).toEqual(expected)
})

test('a growing reply is deleted only where one is stored', async () => {
  const { append } = await filled(1)
  const deletions = async () => (await requestsOf(() => append()))['delete opens']
  // Nobody has noted yet that there is none.
  expect([await deletions(), await deletions()]).toEqual([1, undefined])
  await append(OPEN)
  expect([await deletions(), await deletions()]).toEqual([1, undefined])
})

test('a list of sessions reads their heads and no log', async () => {
  const { store } = await filled(3000)
  expect(await requestsOf(() => store.list())).toEqual({ 'getAll heads': 1 })
})
