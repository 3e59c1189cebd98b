import { expect, test } from 'vitest'
import { freshStore } from './databases.ts'

/** Run a script in a frame until it removes that frame. */
function frameRemoved(data: Record<string, string>): Promise<void> {
  const frame = document.createElement('iframe')
  Object.assign(frame.dataset, data)
  document.body.append(frame)
  const script = document.createElement('script')
  script.type = 'module'
  script.src = new URL('./frame-that-leaves.ts', import.meta.url).href
  frame.contentDocument?.body.append(script)
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (frame.isConnected) return
      observer.disconnect()
      resolve()
    })
    observer.observe(document.body, { childList: true })
  })
}

test('a write survives a page that goes as soon as it is committed', async () => {
  const { store, name } = freshStore()
  await frameRemoved({ name, commits: 'yes' })
  expect(await store.read('s')).toMatchObject([{ sequence: 1, patch: { by: 'frame' } }])
})

test('a write that was not committed goes with its page, whole', async () => {
  const { store, name } = freshStore()
  await frameRemoved({ name, commits: 'no' })
  expect(await store.read('s')).toEqual([])
  expect(await store.claim('s')).toMatchObject({ lastSequence: 0 })
})

test('a store works in a worker, and the page reads what it wrote', async () => {
  const { store, name } = freshStore()
  const worker = new Worker(new URL('./store-in-worker.ts', import.meta.url), { type: 'module' })
  const answer = new Promise<unknown>((resolve) => worker.addEventListener('message', (event) => resolve(event.data)))
  worker.postMessage(name)
  const data = await answer
  worker.terminate()
  expect(data).toEqual({ fence: 1, persistent: false, hasEstimate: navigator.storage?.estimate !== undefined })
  expect(await store.read('s')).toMatchObject([{ patch: { by: 'worker' } }])
})
