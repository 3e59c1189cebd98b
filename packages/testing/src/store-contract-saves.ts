import type { LastSave, SessionStore } from '@turnloop/core'
import {
  entriesFrom,
  entryAt,
  equal,
  headOf,
  logEnds,
  openReply,
  partOf,
  SESSION,
  type StoreCases,
} from './store-contract-checks.ts'

/** What a page that goes can still save. */
export const SAVE_CASES: StoreCases = {
  'what saveNow saved is there for the next read': async (store) => {
    const { fence } = await store.claim(SESSION)
    const head = headOf(SESSION, { lastSequence: 2 })
    saveNow(store, { entries: entriesFrom(1, 2), head, open: openReply('Once'), fence })
    const found = [await store.read(SESSION), await store.head(SESSION), await store.open(SESSION)]
    equal(found, [entriesFrom(1, 2), head, openReply('Once')], 'the session')
  },
  'saveNow goes on where the log ends': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(4)], fence })
    saveNow(store, { entries: entriesFrom(5, 6), fence })
    await logEnds(store, 6)
    await store.append(SESSION, [entryAt(7)], { fence })
    equal((await store.claim(SESSION)).lastSequence, 7, 'the end of the log')
  },
  'saveNow can save the records alone': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence, head: headOf(SESSION), open: openReply('Once') })
    saveNow(store, { entries: [], open: openReply('Once upon'), fence })
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION), openReply('Once upon')], 'records')
    saveNow(store, { entries: [], head: headOf(SESSION, { turns: 2 }), open: null, fence })
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION, { turns: 2 }), undefined], 'records')
    await logEnds(store, 1)
  },
  'an append of what saveNow saved resolves': async (store) => {
    const { fence } = await store.claim(SESSION)
    saveNow(store, { entries: entriesFrom(1, 2), fence })
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    await logEnds(store, 3)
  },
  'saveNow repeats what an append is about to save': async (store) => {
    const { fence } = await store.claim(SESSION)
    const appended = store.append(SESSION, entriesFrom(1, 2), { fence })
    saveNow(store, { entries: entriesFrom(1, 3), open: openReply('Once'), fence })
    await appended
    await logEnds(store, 3)
    equal(await store.open(SESSION), openReply('Once'), 'the open reply')
  },
  'saveNow of a claim that was overtaken saves nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.claim(SESSION)
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), open: openReply('Once'), fence })
    await hasNothingBut(store, 1)
  },
  'saveNow does not bring back a removed session': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.remove(SESSION)
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), fence })
    saveNow(store, { entries: [entryAt(1)], head: headOf(SESSION), fence })
    saveNow(store, { entries: [], head: headOf(SESSION), fence })
    await hasNothingBut(store, 0)
  },
  'saveNow leaves no gap': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    saveNow(store, { entries: [entryAt(3)], head: headOf(SESSION), fence })
    saveNow(store, { entries: [entryAt(2), entryAt(4)], head: headOf(SESSION), fence })
    saveNow(store, { entries: [entryAt(0), entryAt(1)], head: headOf(SESSION), fence })
    await hasNothingBut(store, 1)
  },
  'saveNow changes no stored entry': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(3, 'another'), entryAt(4)], fence })
    equal((await store.read(SESSION)).slice(0, 3), entriesFrom(1, 3), 'the log')
  },
  'saveNow of what the log has gone past saves nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), open: openReply('Once'), fence })
    await hasNothingBut(store, 3)
  },
  'saveNow of a value without a copy saves nothing and does not throw': async (store) => {
    const { fence } = await store.claim(SESSION)
    saveNow(store, { entries: [entryAt(1), entryAt(2, () => {})], head: headOf(SESSION), fence })
    await hasNothingBut(store, 0)
    await store.append(SESSION, [entryAt(1)], { fence })
    await logEnds(store, 1)
  },
}

async function hasNothingBut(store: SessionStore, last: number): Promise<void> {
  await logEnds(store, last)
  equal((await store.read(SESSION, { after: last })).length, 0, 'how much comes after')
  equal([await store.head(SESSION), await store.open(SESSION)], [undefined, undefined], 'the records')
}

function saveNow(store: SessionStore, save: LastSave): void {
  partOf(store, 'saveNow').call(store, SESSION, save)
}
