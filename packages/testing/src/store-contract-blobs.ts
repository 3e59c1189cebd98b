import type { BlobStore, SessionStore } from '@turnloop/core'
import {
  entryAt,
  equal,
  headOf,
  partOf,
  SESSION,
  type SharedStoreCases,
  type StoreCases,
} from './store-contract-checks.ts'

/** Bytes apart from the log, by their content. */
export const BLOB_CASES: StoreCases = {
  'bytes are named by their sha-256': async (store) => {
    const hash = await blobsOf(store).put(SESSION, new TextEncoder().encode('abc'))
    equal(hash, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'the hash')
  },
  'bytes come back as they were': async (store) => {
    const blobs = blobsOf(store)
    for (const length of [0, 1, 255, 1_000_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 256)
      const found = await blobs.get(await blobs.put(SESSION, bytes))
      equal(found instanceof Uint8Array && isSame(found, bytes), true, `whether ${length} bytes are the same`)
    }
  },
  'an unknown hash has no bytes': async (store) => {
    equal(await blobsOf(store).get('00'), undefined, 'the bytes')
  },
  'the same bytes have one name': async (store) => {
    const blobs = blobsOf(store)
    const hashes = await Promise.all(['a', 'a', 'b'].map((id) => blobs.put(id, bytesOf(1, 2))))
    equal(new Set(hashes).size, 1, 'how many names there are')
  },
  'stored bytes are out of reach of caller and reader': async (store) => {
    const blobs = blobsOf(store)
    const bytes = bytesOf(1, 2)
    const putting = blobs.put(SESSION, bytes)
    bytes.fill(9)
    const hash = await putting
    ;(await blobs.get(hash))?.fill(8)
    equal([...((await blobs.get(hash)) ?? [])], [1, 2], 'the bytes')
  },
  'a part of a buffer is stored without the rest': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put(SESSION, bytesOf(1, 2, 3, 4).subarray(1, 3))
    const found = await blobs.get(hash)
    equal([[...(found ?? [])], found?.buffer.byteLength], [[2, 3], 2], 'the bytes')
  },
  'the bytes of a removed session are gone': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put(SESSION, bytesOf(1))
    await store.append(SESSION, [entryAt(1)])
    await store.remove(SESSION)
    equal(await blobs.get(hash), undefined, 'the bytes')
  },
  'bytes of two sessions go with the last': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put('a', bytesOf(1))
    await blobs.put('b', bytesOf(1))
    await store.remove('a')
    equal(await isThere(blobs, hash), true, 'whether one session keeps them')
    await store.remove('b')
    equal(await isThere(blobs, hash), false, 'whether they outlive both')
  },
  'a linked session holds the bytes too': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put('a', bytesOf(1))
    await blobs.link('b', [hash, hash, 'unknown'])
    await store.remove('a')
    equal(await isThere(blobs, hash), true, 'whether the link keeps them')
    await store.remove('b')
    equal(await isThere(blobs, hash), false, 'whether they outlive both')
    equal(await isThere(blobs, 'unknown'), false, 'whether a link makes bytes')
  },
  'what is not retained is freed': async (store) => {
    const blobs = blobsOf(store)
    const [kept, dropped] = [await blobs.put(SESSION, bytesOf(1)), await blobs.put(SESSION, bytesOf(2, 3))]
    equal(await blobs.retain(SESSION, new Set([kept, 'unknown'])), 2, 'how many bytes were freed')
    equal([await isThere(blobs, kept), await isThere(blobs, dropped)], [true, false], 'what is there')
    equal(await blobs.retain(SESSION, [kept]), 0, 'how many bytes were freed again')
  },
  'what another session holds is not freed': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put(SESSION, bytesOf(1))
    await blobs.link('another', [hash])
    equal(await blobs.retain(SESSION, []), 0, 'how many bytes were freed')
    equal(await isThere(blobs, hash), true, 'whether the bytes are there')
    await store.remove('another')
    equal(await isThere(blobs, hash), false, 'whether the first session still held them')
  },
  'what was put just now can be spared': async (store) => {
    const blobs = blobsOf(store)
    const hash = await blobs.put(SESSION, bytesOf(1))
    equal(await blobs.retain(SESSION, [], { minAgeMs: 60_000 }), 0, 'how many bytes were freed')
    equal(await blobs.collect({ minAgeMs: 60_000 }), 0, 'how many bytes were freed')
    equal(await blobs.collect(), 0, 'how many bytes were freed')
    equal(await isThere(blobs, hash), true, 'whether the bytes are there')
  },
  'bytes of sessions that never came to be are collected': async (store) => {
    const blobs = blobsOf(store)
    await store.append('with log', [entryAt(1)])
    await store.append('with head', [], { head: headOf('with head') })
    await store.claim('with claim')
    const hashes = await Promise.all(
      ['with log', 'with head', 'with claim', 'with nothing'].map((id, index) => blobs.put(id, bytesOf(index))),
    )
    equal(await blobs.collect({ minAgeMs: 0 }), 2, 'how many bytes were freed')
    const left = await Promise.all(hashes.map((hash) => isThere(blobs, hash)))
    equal(left, [true, true, false, false], 'what is there')
  },
}

/** Bytes that several connections hold. */
export const SHARED_BLOB_CASES: SharedStoreCases = {
  'bytes are there on another connection': async (first, second) => {
    const hash = await blobsOf(first).put('a', bytesOf(1, 2))
    await blobsOf(second).link('b', [hash])
    await first.remove('a')
    equal([...((await blobsOf(second).get(hash)) ?? [])], [1, 2], 'the bytes')
  },
  'bytes that one puts while another drops them are kept': async (first, second) => {
    const [a, b] = [blobsOf(first), blobsOf(second)]
    for (let round = 0; round < 10; round += 1) {
      const hash = await a.put('a', bytesOf(1))
      await Promise.all([first.remove('a'), b.put('b', bytesOf(1))])
      equal(await isThere(a, hash), true, 'whether the bytes are there')
      await second.remove('b')
    }
  },
}

function blobsOf(store: SessionStore): BlobStore {
  return partOf(store, 'blobs')
}

function bytesOf(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

async function isThere(blobs: BlobStore, hash: string): Promise<boolean> {
  return (await blobs.get(hash)) !== undefined
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
