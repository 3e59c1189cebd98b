import type { SessionLock } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { afterEach, expect, test, vi } from 'vitest'
import { freshName } from './databases.ts'

afterEach(() => document.dispatchEvent(new Event('resume')))

function lockOf(name: string): SessionLock {
  const { lock } = indexedDbStore({ name })
  if (lock === undefined) throw new Error('This browser has no locks.')
  return lock
}

/** Two tabs' locks of one database. */
function twoLocks(): readonly [SessionLock, SessionLock] {
  const name = freshName()
  return [lockOf(name), lockOf(name)]
}

test('a session is had by one, and by the next when that lets go', async () => {
  const [here, there] = twoLocks()
  const first = await here.acquire('s')
  expect(await there.acquire('s', { ifFree: true })).toBeUndefined()
  const waiting = there.acquire('s')
  first?.release()
  first?.release()
  const second = await waiting
  expect(await here.acquire('s', { ifFree: true })).toBeUndefined()
  expect(await here.acquire('another', { ifFree: true })).toBeDefined()
  second?.release()
})

test('what is stolen is lost, and told', async () => {
  const [here, there] = twoLocks()
  const first = await here.acquire('s')
  const second = await there.acquire('s', { steal: true })
  await first?.lost
  first?.release()
  expect(await here.acquire('s', { ifFree: true })).toBeUndefined()
  second?.release()
})

test('who gives up waiting is not kept', async () => {
  const [here, there] = twoLocks()
  const first = await here.acquire('s')
  const controller = new AbortController()
  const waiting = there.acquire('s', { signal: controller.signal })
  controller.abort('enough')
  await expect(waiting).rejects.toBe('enough')
  first?.release()
  const next = await here.acquire('s')
  next?.release()
})

test('a page that is frozen lets go, and waits anew once it goes on', async () => {
  const [here, there] = twoLocks()
  const held = await here.acquire('s')
  document.dispatchEvent(new Event('freeze'))
  await held?.lost
  const anew = here.acquire('s')
  const taken = vi.fn()
  anew.then(taken, taken)
  await new Promise((resolve) => navigator.locks.query().then(resolve))
  expect(taken).not.toHaveBeenCalled()
  document.dispatchEvent(new Event('resume'))
  ;(await anew)?.release()
  const next = await there.acquire('s')
  next?.release()
})

test('a page that was frozen while it waited is in line again when it goes on', async () => {
  const [here, there] = twoLocks()
  const other = await navigatorLock()
  const held = await there.acquire('s')
  const waiting = here.acquire('s')
  document.dispatchEvent(new Event('freeze'))
  await held?.lost
  document.dispatchEvent(new Event('resume'))
  expect(await waiting).toBeDefined()
  ;(await waiting)?.release()
  other()
})

test('where locks are refused, that is an error of the store', async () => {
  vi.spyOn(navigator.locks, 'request').mockRejectedValue(new DOMException('not here', 'SecurityError'))
  await expect(lockOf(freshName()).acquire('s')).rejects.toMatchObject({ code: 'storage-unavailable' })
})

/** Some other lock of the page, of which nothing here may care. */
async function navigatorLock(): Promise<() => void> {
  return new Promise((resolve) => {
    navigator.locks.request('another', () => new Promise<void>((release) => resolve(release))).catch(() => {})
  })
}
