import type { LastSave, SessionHead, SessionStore } from '@turnloop/core'
import {
  entriesFrom,
  entryAt,
  equal,
  headOf,
  logEnds,
  openReply,
  partOf,
  SESSION,
  type SharedStoreCases,
  type StoreCases,
} from './store-contract-checks.ts'

/** What a page that goes can still save. */
export const SAVE_CASES: StoreCases = {
  'what saveNow saved is there after the next claim': async (store) => {
    const { fence } = await store.claim(SESSION)
    const head = headOf(SESSION, { lastSequence: 2 })
    saveNow(store, { entries: entriesFrom(1, 2), head, open: openReply('Once'), fence })
    equal((await store.claim(SESSION)).lastSequence, 2, 'the end of the log')
    const found = [await store.read(SESSION), await store.head(SESSION), await store.open(SESSION)]
    equal(found, [entriesFrom(1, 2), head, openReply('Once')], 'the session')
  },
  'saveNow goes on where the log ends': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(4)], fence })
    saveNow(store, { entries: entriesFrom(4, 6), fence })
    const again = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(7)], { fence: again.fence })
    await logEnds(store, 7)
  },
  'saveNow can save the records alone': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence, head: headOf(SESSION), open: openReply('Once') })
    saveNow(store, { entries: [], open: openReply('Once upon'), fence })
    const again = await store.claim(SESSION)
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION), openReply('Once upon')], 'records')
    saveNow(store, { entries: [], head: headOf(SESSION, { turns: 2 }), open: null, fence: again.fence })
    await hasOnly(store, 1, headOf(SESSION, { turns: 2 }))
  },
  'an append of what saveNow saved resolves': async (store) => {
    const { fence } = await store.claim(SESSION)
    saveNow(store, { entries: entriesFrom(1, 2), fence })
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    await hasOnly(store, 3)
  },
  'saveNow repeats what an append is about to save': async (store) => {
    const { fence } = await store.claim(SESSION)
    const appended = store.append(SESSION, entriesFrom(1, 2), { fence })
    saveNow(store, { entries: entriesFrom(1, 3), head: headOf(SESSION), fence })
    await appended
    await hasOnly(store, 3, headOf(SESSION))
  },
  'a later append makes the records of saveNow void': async (store) => {
    const { fence } = await store.claim(SESSION)
    saveNow(store, { entries: [entryAt(1)], head: headOf(SESSION), open: openReply('Once'), fence })
    await store.append(SESSION, [entryAt(1)], { fence, head: headOf(SESSION, { turns: 2 }) })
    await store.append(SESSION, [], { fence, open: null })
    await hasOnly(store, 1, headOf(SESSION, { turns: 2 }))
  },
  'saveNow of a claim that was overtaken saves nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.claim(SESSION)
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), open: openReply('Once'), fence })
    await hasOnly(store, 1)
  },
  'saveNow does not bring back a removed session': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), fence })
    await store.remove(SESSION)
    for (const entries of [[entryAt(2)], [entryAt(1)], []]) {
      saveNow(store, { entries, head: headOf(SESSION), fence })
      await hasOnly(store, 0)
    }
  },
  'saveNow leaves no gap': async (store) => {
    for (const sequences of [[3], [2, 4], [0, 1], [1.5]]) {
      await store.remove(SESSION)
      const { fence } = await store.claim(SESSION)
      await store.append(SESSION, [entryAt(1)], { fence })
      saveNow(store, { entries: sequences.map((sequence) => entryAt(sequence)), head: headOf(SESSION), fence })
      await hasOnly(store, 1)
    }
  },
  'saveNow changes no stored entry': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(3, 'another'), entryAt(4)], head: headOf(SESSION), fence })
    await hasOnly(store, 3)
    equal(await store.read(SESSION), entriesFrom(1, 3), 'the log')
  },
  'saveNow of what the log has gone past saves nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    saveNow(store, { entries: [entryAt(2)], head: headOf(SESSION), open: openReply('Once'), fence })
    await hasOnly(store, 3)
  },
  'saveNow of a value without a copy saves nothing and does not throw': async (store) => {
    const { fence } = await store.claim(SESSION)
    saveNow(store, { entries: [entryAt(1), entryAt(2, () => {})], head: headOf(SESSION), fence })
    await hasOnly(store, 0)
  },
}

/** What two connections see of it. */
export const SHARED_SAVE_CASES: SharedStoreCases = {
  'what saveNow saved is there for another connection': async (first, second) => {
    const { fence } = await first.claim(SESSION)
    await first.append(SESSION, [entryAt(1)], { fence })
    saveNow(first, { entries: entriesFrom(2, 3), head: headOf(SESSION), fence })
    await hasOnly(second, 3, headOf(SESSION))
  },
  'saveNow after another connection took over saves nothing': async (first, second) => {
    const { fence } = await first.claim(SESSION)
    await first.append(SESSION, [entryAt(1)], { fence })
    const taken = await second.claim(SESSION)
    await second.append(SESSION, [entryAt(2)], { fence: taken.fence })
    saveNow(first, { entries: [entryAt(2, 'late'), entryAt(3)], head: headOf(SESSION), fence })
    await hasOnly(second, 2)
    equal(await first.read(SESSION), entriesFrom(1, 2), 'the log')
  },
}

/** Claims, for what was saved late joins the log then at the latest. */
async function hasOnly(store: SessionStore, last: number, head?: SessionHead): Promise<void> {
  equal((await store.claim(SESSION)).lastSequence, last, 'the end of the log')
  await logEnds(store, last)
  equal([await store.head(SESSION), await store.open(SESSION)], [head, undefined], 'the records')
}

function saveNow(store: SessionStore, save: LastSave): void {
  partOf(store, 'saveNow').call(store, SESSION, save)
}
