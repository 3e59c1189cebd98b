import { MemoryStore, type SessionHead, type SessionStore, StorageError } from '@turnloop/core'
import { useAgentTurn, useSessions } from '@turnloop/react'
import { deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { scripted } from './chat.tsx'
import { until } from './page.ts'
import { renderHook } from './strict-render.ts'

function head(id: string, updatedAt: number): SessionHead {
  return { id, createdAt: 0, updatedAt, lastSequence: 0, turns: 0, state: {}, usage: {}, queue: [] }
}

async function storeWith(...ids: string[]): Promise<MemoryStore> {
  const store = new MemoryStore()
  for (const [index, id] of ids.entries()) await store.append(id, [], { head: head(id, index) })
  return store
}

test('the list is read after mounting, newest first', async () => {
  const store = await storeWith('old', 'new')

  const { result } = await renderHook(() => useSessions(store))
  await until(() => result.current.status === 'ready')

  expect(result.current.sessions.map(({ id }) => id)).toEqual(['new', 'old'])
})

test('a change in the store is shown', async () => {
  const store = await storeWith('one')
  const { result } = await renderHook(() => useSessions(store))

  await store.append('two', [], { head: head('two', 9) })

  await until(() => result.current.sessions.length === 2)
})

test('removing takes a session out of store and list', async () => {
  const store = await storeWith('one', 'two')
  const { result } = await renderHook(() => useSessions(store))

  await result.current.remove('one')

  expect(await store.head('one')).toBeUndefined()
  await until(() => result.current.sessions.length === 1)
})

test('removing stops a running turn, and nothing of it comes back', async () => {
  const { agent, model, valve } = scripted('hello')
  const store = new MemoryStore()
  const chat = await renderHook(() => useAgentTurn(agent, { sessionId: 'a', store }))
  const list = await renderHook(() => useSessions(store))
  const sent = chat.result.current.send('hi')
  valve.release(3)
  await until(() => chat.result.current.open !== undefined && list.result.current.sessions.length === 1)

  await list.result.current.remove('a')

  expect((await sent).outcome.kind).toBe('cancelled')
  expect(model.abortedRequests).toEqual([0])
  await until(() => chat.result.current.status === 'closed' && list.result.current.sessions.length === 0)
  expect(await store.read('a')).toEqual([])
})

test('an unreadable list says why and keeps what it had', async () => {
  const store = await storeWith('one')
  const { result } = await renderHook(() => useSessions(store))
  await until(() => result.current.status === 'ready')

  store.list = () => Promise.reject(new StorageError('disconnected', 'The database went away. Reload the page.'))
  await result.current.refresh()
  await until(() => result.current.status === 'failed')

  expect(result.current.error?.code).toBe('disconnected')
  expect(result.current.sessions).toHaveLength(1)
})

test('a list that is read again after a failure forgets the error', async () => {
  const store = await storeWith('one')
  const list = store.list.bind(store)
  store.list = () => Promise.reject(new Error('no'))
  const { result } = await renderHook(() => useSessions(store))
  await until(() => result.current.error?.code === 'storage-unavailable')

  store.list = list
  await result.current.refresh()
  await until(() => result.current.status === 'ready')

  expect(result.current.error).toBeUndefined()
})

test('many changes during one reading ask for one more', async () => {
  const store = await storeWith('one')
  const gate = deferred()
  let readings = 0
  const list = store.list.bind(store)
  store.list = async () => {
    readings += 1
    await gate.promise
    return list()
  }
  const { result } = await renderHook(() => useSessions(store))

  for (let index = 0; index < 10; index += 1) await store.append('two', [], { head: head('two', index) })
  gate.resolve()
  await until(() => result.current.sessions.length === 2)

  expect(readings).toBe(2)
})

test('twenty components read and watch the store once', async () => {
  const store = await storeWith('one')
  const watch = watched(store)
  const { result, unmount } = await renderHook(() => Array.from({ length: 20 }, () => useSessions(store)))
  await until(() => result.current.every(({ status }) => status === 'ready'))
  // StrictMode mounts them all, takes them all away, and mounts them again.
  expect(watch).toEqual({ started: 2, stopped: 1, readings: expect.toSatisfy((count) => count <= 2) })

  await unmount()

  expect([watch.started, watch.stopped]).toEqual([2, 2])
})

function watched(store: SessionStore): { started: number; stopped: number; readings: number } {
  const counts = { started: 0, stopped: 0, readings: 0 }
  const list = store.list.bind(store)
  store.list = () => {
    counts.readings += 1
    return list()
  }
  store.subscribe = () => {
    counts.started += 1
    return () => {
      counts.stopped += 1
    }
  }
  return counts
}
