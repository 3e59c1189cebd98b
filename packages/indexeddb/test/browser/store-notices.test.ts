import { indexedDbStore } from '@turnloop/indexeddb'
import { deferred } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { entryAt, freshStore } from './databases.ts'

test('each listener hears of a write elsewhere once, in order', async () => {
  const { store, name } = freshStore()
  const other = indexedDbStore({ name })
  const [heardFirst, heardSecond]: [string[], string[]] = [[], []]
  const last = deferred()
  store.subscribe?.((sessionId) => heardFirst.push(sessionId))
  store.subscribe?.((sessionId) => {
    heardSecond.push(sessionId)
    if (sessionId === 'last') last.resolve()
  })
  for (const sessionId of ['a', 'b', 'last']) await other.append(sessionId, [entryAt(1)])
  await last.promise
  expect([heardFirst, heardSecond]).toEqual([
    ['a', 'b', 'last'],
    ['a', 'b', 'last'],
  ])
})

test('a listener that throws is reported and starves nobody', async () => {
  const { store } = freshStore()
  const reports = vi.spyOn(globalThis, 'reportError').mockImplementation(() => {})
  const heard: string[] = []
  const broken = new Error('listener')
  store.subscribe?.(() => {
    throw broken
  })
  store.subscribe?.((sessionId) => heard.push(sessionId))
  await store.append('s', [entryAt(1)])
  expect(reports).toHaveBeenCalledExactlyOnceWith(broken)
  expect(heard).toEqual(['s'])
})

test('a browser that forbids channels still tells of own writes', async () => {
  const { store } = freshStore()
  vi.stubGlobal('BroadcastChannel', undefined)
  const heard: string[] = []
  store.subscribe?.((sessionId) => heard.push(sessionId))
  await store.append('s', [entryAt(1)])
  expect(heard).toEqual(['s'])
})

test('no channel is left open when nobody listens', async () => {
  const { store } = freshStore()
  const open = new Set<BroadcastChannel>()
  class CountedChannel extends BroadcastChannel {
    constructor(name: string) {
      super(name)
      open.add(this)
    }
    override close(): void {
      super.close()
      open.delete(this)
    }
  }
  vi.stubGlobal('BroadcastChannel', CountedChannel)
  const leaveFirst = store.subscribe?.(() => {})
  const leaveSecond = store.subscribe?.(() => {})
  leaveFirst?.()
  expect(open.size).toBe(1)
  leaveSecond?.()
  await store.append('s', [entryAt(1)])
  expect(open.size).toBe(0)
})
