import type { Entry, ReadOptions, SessionStore } from '@turnloop/core'
import {
  entriesFrom,
  entryAt,
  equal,
  logEnds,
  refuses,
  SESSION,
  type StoreCases,
  sequencesOf,
} from './store-contract-checks.ts'

/** What appending and reading do to the log itself. */
export const LOG_CASES: StoreCases = {
  'an unknown session is empty': async (store) => {
    const found = [await store.read(SESSION), await store.head(SESSION), await store.open(SESSION), await store.list()]
    equal(found, [[], undefined, undefined, []], 'an unknown session')
  },
  'entries come back unchanged and in order': async (store) => {
    const entries = entriesFrom(1, 12)
    await store.append(SESSION, entries.slice(0, 5))
    await store.append(SESSION, entries.slice(5))
    equal(await store.read(SESSION), entries, 'the log')
  },
  'a log starts at sequence 1': async (store) => {
    await refuses(store.append(SESSION, [entryAt(0)]), 'conflict')
    await refuses(store.append(SESSION, [entryAt(2)]), 'conflict')
    await logEnds(store, 0)
  },
  'a gap after the log is a conflict': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    await refuses(store.append(SESSION, [entryAt(4)]), 'conflict')
    await logEnds(store, 2)
  },
  'a gap inside an append is a conflict and adds nothing': async (store) => {
    await refuses(store.append(SESSION, [entryAt(1), entryAt(3)]), 'conflict')
    await logEnds(store, 0)
  },
  'another entry in a place that is taken is a conflict': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    await refuses(store.append(SESSION, [entryAt(2, 'another')]), 'conflict')
    equal(await store.read(SESSION), entriesFrom(1, 2), 'the log')
  },
  'the same append twice stores its entries once': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3))
    await store.append(SESSION, structuredClone(entriesFrom(1, 3)))
    equal(await store.read(SESSION), entriesFrom(1, 3), 'the log')
  },
  'an append that overlaps adds only what is new': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3))
    await store.append(SESSION, entriesFrom(2, 5))
    equal(await store.read(SESSION), entriesFrom(1, 5), 'the log')
  },
  'an overlap with one changed entry adds nothing': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3))
    await refuses(store.append(SESSION, [entryAt(2), entryAt(3, 'changed'), entryAt(4)]), 'conflict')
    equal(await store.read(SESSION), entriesFrom(1, 3), 'the log')
  },
  'sessions do not mix': async (store) => {
    const ids = ['a', 'ab', 'a,1', 'A', '']
    for (const id of ids) await store.append(id, [entryAt(1, id), entryAt(2, id)])
    await store.remove('a')
    for (const id of ids) {
      equal(await store.read(id), id === 'a' ? [] : [entryAt(1, id), entryAt(2, id)], `the log of "${id}"`)
    }
  },
  'what is stored is out of reach of caller and reader': async (store) => {
    const note = { text: 'kept' }
    await store.append(SESSION, [entryAt(1, note)])
    note.text = 'changed by the caller'
    const read = await store.read(SESSION)
    spoil(read)
    equal(await store.read(SESSION), [entryAt(1, { text: 'kept' })], 'the log')
  },
  'an entry that cannot be cloned leaves nothing behind': async (store) => {
    const entries = [entryAt(1), entryAt(2, { list: [0, { call: () => {} }] }), entryAt(3)]
    const refusal = await refuses(store.append(SESSION, entries), 'not-cloneable')
    equal(refusal.facts.path, 'entries[1].patch.note.list[1].call', 'the path of the value')
    await logEnds(store, 0)
    await store.append(SESSION, entriesFrom(1, 3))
    await logEnds(store, 3)
  },
  'the path counts the entries that were known already': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    const entries = [entryAt(1), entryAt(2), entryAt(3, () => {})]
    const refusal = await refuses(store.append(SESSION, entries), 'not-cloneable')
    equal(refusal.facts.path, 'entries[2].patch.note', 'the path of the value')
  },
  'a revoked proxy is refused like any value without a clone': async (store) => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const refusal = await refuses(store.append(SESSION, [entryAt(1, proxy)]), 'not-cloneable')
    equal(refusal.facts.path, 'entries[0].patch.note', 'the path of the value')
  },
  'a cycle does not hide the value that cannot be cloned': async (store) => {
    const note: Record<string, unknown> = {}
    note.self = note
    note.call = () => {}
    const refusal = await refuses(store.append(SESSION, [entryAt(1, note)]), 'not-cloneable')
    equal(refusal.facts.path, 'entries[0].patch.note.call', 'the path of the value')
  },
  'a read without options gives the whole log': (store) => reads(store, {}, [1, 10]),
  'after leaves out what comes before': (store) => reads(store, { after: 7 }, [8, 10]),
  'after 0 gives the whole log': (store) => reads(store, { after: 0 }, [1, 10]),
  'before leaves out what comes after': (store) => reads(store, { before: 4 }, [1, 3]),
  'after and before leave what lies between': (store) => reads(store, { after: 3, before: 7 }, [4, 6]),
  'a limit alone takes the last': (store) => reads(store, { limit: 3 }, [8, 10]),
  'a limit with before takes the last before it': (store) => reads(store, { before: 6, limit: 2 }, [4, 5]),
  'a limit with after takes the first after it': (store) => reads(store, { after: 4, limit: 2 }, [5, 6]),
  'a limit with both takes the first after': (store) => reads(store, { after: 2, before: 9, limit: 3 }, [3, 5]),
  'before ends a read that its limit would not': (store) => reads(store, { after: 2, before: 5, limit: 9 }, [3, 4]),
  'a limit above the log gives all of it': (store) => reads(store, { limit: 11 }, [1, 10]),
  'an endless limit is none': (store) => reads(store, { after: 8, limit: Number.POSITIVE_INFINITY }, [9, 10]),
  'a range beyond the log is cut to it': (store) => reads(store, { after: -5, before: 99 }, [1, 10]),
  'an empty range gives nothing': async (store) => {
    const empty: ReadOptions[] = [
      { limit: 0 },
      { after: 10 },
      { before: 1 },
      { before: 0 },
      { after: 5, before: 6 },
      { after: 9, before: 2 },
    ]
    await store.append(SESSION, entriesFrom(1, 10))
    for (const options of empty) equal(await store.read(SESSION, options), [], `read(${JSON.stringify(options)})`)
  },
  'the tail of 10,000 entries is read alone': async (store) => {
    await store.append(SESSION, entriesFrom(1, 10_000))
    equal(await store.read(SESSION, { limit: 50 }), entriesFrom(9_951, 10_000), 'the tail')
    equal(await store.read(SESSION, { before: 5_001, limit: 2 }), entriesFrom(4_999, 5_000), 'the middle')
  },
}

async function reads(store: SessionStore, options: ReadOptions, [from, to]: readonly [number, number]): Promise<void> {
  await store.append(SESSION, entriesFrom(1, 10))
  const found = await store.read(SESSION, options)
  equal(sequencesOf(found), sequencesOf(entriesFrom(from, to)), `read(${JSON.stringify(options)})`)
}

/** Try to change what was read, as a careless reader would; a store may hand out frozen data. */
function spoil(read: Entry[]): void {
  try {
    Object.assign(read[0] ?? {}, { type: 'changed by the reader' })
  } catch {
    // Frozen.
  }
  read.length = 0
}
