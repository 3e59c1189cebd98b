import { expect, test } from 'vitest'
import { freshStore } from './databases.ts'
import { frameRemoved } from './leaving-frames.ts'

/** WebKit ends the transactions of a frame that is removed, committed or not; a page that is closed is another matter. */
const isWebKit = /AppleWebKit/.test(navigator.userAgent) && !/Chrome/.test(navigator.userAgent)
if (isWebKit) console.log('SKIPPED: WebKit drops what a frame writes in the task in which it is removed')

const LEAVES = new URL('./frame-that-leaves.ts', import.meta.url)
const SAVES = new URL('./frame-that-saves.ts', import.meta.url)

test('a write whose page goes as soon as it is committed is there whole or not at all', async () => {
  const { store, name } = freshStore()
  await frameRemoved(LEAVES, { name, commits: 'yes' })
  // Which of the two is for the browser to say; what keeps it in any case is `saveNow`, below.
  const log = await store.read('s')
  expect([[], [{ sequence: 1, at: 1, type: 'state-changed', patch: { by: 'frame' } }]]).toContainEqual(log)
  expect(await store.claim('s')).toMatchObject({ lastSequence: log.length })
})

test('a write that was not committed goes with its page, whole', async () => {
  const { store, name } = freshStore()
  await frameRemoved(LEAVES, { name, commits: 'no' })
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

test.skipIf(isWebKit).each(['nothing is under way', 'an append asks', 'an append commits'])(
  'a page that goes while %s is saved whole',
  async (moment) => {
    const { store, name } = freshStore()
    await frameRemoved(SAVES, { name, moment })
    const log = await store.read('s')
    expect(log.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(await store.claim('s')).toMatchObject({ lastSequence: 3 })
  },
)
