import { indexedDbStore, requestPersistence, storageEstimate } from '@turnloop/indexeddb'

/** In a worker: write a session, and say what the page needs to check it. */
addEventListener('message', (event: MessageEvent<string>) => {
  run(event.data).then(postMessage, (error: unknown) => postMessage(String(error)))
})

async function run(name: string): Promise<unknown> {
  const store = indexedDbStore({ name })
  const { fence } = await store.claim('s')
  await store.append('s', [{ sequence: 1, at: 1, type: 'state-changed', patch: { by: 'worker' } }], { fence })
  const estimate = await storageEstimate()
  return { fence, persistent: await requestPersistence(), hasEstimate: estimate !== undefined }
}
