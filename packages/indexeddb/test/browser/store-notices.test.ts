import { indexedDbStore } from '@turnloop/indexeddb'
import { deferred, manualClock } from '@turnloop/testing'
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

/** Watches channels: how many there were, and which are open. */
function watchChannels(): { made: number; readonly open: Set<BroadcastChannel> } {
  const watched = { made: 0, open: new Set<BroadcastChannel>() }
  const { open } = watched
  class CountedChannel extends BroadcastChannel {
    constructor(name: string) {
      super(name)
      watched.made += 1
      open.add(this)
    }
    override close(): void {
      super.close()
      open.delete(this)
    }
  }
  vi.stubGlobal('BroadcastChannel', CountedChannel)
  return watched
}

test('no channel is left open when the last listener leaves', () => {
  const { store } = freshStore()
  const { open } = watchChannels()
  const leaveFirst = store.subscribe?.(() => {})
  const leaveSecond = store.subscribe?.(() => {})
  leaveFirst?.()
  expect(open.size).toBe(1)
  leaveSecond?.()
  expect(open.size).toBe(0)
})

test('writes in a row share a channel, which closes a second after the last', async () => {
  const clock = manualClock()
  const { store } = freshStore({ clock })
  const channels = watchChannels()
  await store.append('s', [entryAt(1)])
  await clock.advance(900)
  await store.append('s', [entryAt(2)])
  await clock.advance(900)
  expect([channels.made, channels.open.size]).toEqual([1, 1])
  await clock.advance(1_100)
  expect(channels.open.size).toBe(0)
})

test('a listener keeps the channel of a write open, and hears on it', async () => {
  const clock = manualClock()
  const { store, name } = freshStore({ clock })
  const { open } = watchChannels()
  await store.append('s', [entryAt(1)])
  const heard = deferred<string>()
  const leave = store.subscribe((sessionId) => heard.resolve(sessionId))
  await clock.advance(3_000)
  expect(open.size).toBe(1)
  await indexedDbStore({ name }).append('other', [entryAt(1)])
  expect(await heard.promise).toBe('other')
  leave()
})
