import { requestPersistence, storageEstimate } from '@turnloop/indexeddb'
import { test as always, expect, vi } from 'vitest'
import './databases.ts'

/** WebKitGTK has none. */
const hasManager = 'storage' in navigator && 'estimate' in navigator.storage
const test = always.skipIf(!hasManager)
if (!hasManager) console.log('SKIPPED: this browser has no StorageManager to be asked for room')

always.skipIf(hasManager)('a browser without a storage manager gives no estimate and no promise', async () => {
  expect(await storageEstimate()).toBeUndefined()
  expect(await requestPersistence()).toBe(false)
})

test('an estimate tells used and available bytes', async () => {
  const use = await storageEstimate()
  expect(use?.quotaBytes).toBeGreaterThan(0)
  expect(use?.usedBytes).toBeLessThan(use?.quotaBytes ?? 0)
})

test('a browser without an estimate gives none', async () => {
  vi.spyOn(StorageManager.prototype, 'estimate').mockRejectedValue(new TypeError('opaque origin'))
  expect(await storageEstimate()).toBeUndefined()
})

test('storage that is persistent already is not asked for', async () => {
  vi.spyOn(StorageManager.prototype, 'persisted').mockResolvedValue(true)
  const asked = vi.spyOn(StorageManager.prototype, 'persist')
  expect(await requestPersistence()).toBe(true)
  expect(asked).not.toHaveBeenCalled()
})

test.each([true, false])('the browser’s answer is passed on: %s', async (answer) => {
  vi.spyOn(StorageManager.prototype, 'persisted').mockResolvedValue(false)
  vi.spyOn(StorageManager.prototype, 'persist').mockResolvedValue(answer)
  expect(await requestPersistence()).toBe(answer)
})

test('a browser that cannot be asked counts as a no', async () => {
  vi.spyOn(StorageManager.prototype, 'persisted').mockRejectedValue(new TypeError('opaque origin'))
  expect(await requestPersistence()).toBe(false)
})
