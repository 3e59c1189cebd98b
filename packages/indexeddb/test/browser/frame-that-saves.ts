import { indexedDbStore } from '@turnloop/indexeddb'
import { entryOf, type LeavingFrame } from './leaving-frames.ts'

/** In a frame: remove the frame at the given moment, and save what there is when it is told to go. */
// The test made it with createElement('iframe').
const { name = '', moment } = (frameElement as HTMLIFrameElement).dataset as LeavingFrame
const store = indexedDbStore({ name })
const { fence } = await store.claim('s')
await store.append('s', [entryOf(1)], { fence })
store.whenLeaving(() => store.saveNow('s', { entries: [entryOf(2), entryOf(3)], fence }))
const leave = (): void => frameElement?.remove()

const { get } = IDBObjectStore.prototype
const { commit } = IDBTransaction.prototype
if (moment === 'nothing is under way') leave()
if (moment === 'an append asks') {
  IDBObjectStore.prototype.get = function (key) {
    queueMicrotask(leave)
    return get.call(this, key)
  }
}
if (moment === 'an append commits') {
  IDBTransaction.prototype.commit = function () {
    IDBTransaction.prototype.commit = commit
    commit.call(this)
    leave()
  }
}
await store.append('s', [entryOf(2)], { fence })
