import { indexedDbStore } from '@turnloop/indexeddb'

/** In a frame: start a write, and remove the frame in the very task in which the write was committed. */
// The test made it with createElement('iframe').
const { name, commits } = (frameElement as HTMLIFrameElement).dataset
const store = indexedDbStore({ name: name ?? '' })
await store.list()

const commit = IDBTransaction.prototype.commit
IDBTransaction.prototype.commit = function () {
  if (commits === 'yes') commit.call(this)
  frameElement?.remove()
}
await store.append('s', [{ sequence: 1, at: 1, type: 'state-changed', patch: { by: 'frame' } }])
