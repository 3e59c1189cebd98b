import type { Entry, RewriteOptions, SessionStore } from '@turnloop/core'
import {
  entriesFrom,
  entryAt,
  equal,
  headOf,
  logEnds,
  openReply,
  partOf,
  refuses,
  SESSION,
  type SharedStoreCases,
  type StoreCases,
} from './store-contract-checks.ts'

/** The one edit that a log permits. */
export const REWRITE_CASES: StoreCases = {
  'a rewritten entry stands in its place': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3))
    await rewrite(store, [entryAt(2, 'erased')])
    equal(await store.read(SESSION), [entryAt(1), entryAt(2, 'erased'), entryAt(3)], 'the log')
  },
  'several entries are rewritten at once, wherever they stand': async (store) => {
    await store.append(SESSION, entriesFrom(1, 4))
    await rewrite(store, [entryAt(4, 'erased'), entryAt(1, 'erased')])
    equal(await store.read(SESSION), [entryAt(1, 'erased'), ...entriesFrom(2, 3), entryAt(4, 'erased')], 'the log')
  },
  'rewriting what is not there is a conflict and changes nothing': async (store) => {
    await refuses(rewrite(store, [entryAt(1)]), 'conflict')
    await store.append(SESSION, entriesFrom(1, 3))
    for (const sequence of [0, 4, -1, 1.5]) {
      const entries = [entryAt(2, 'erased'), entryAt(sequence, 'erased')]
      await refuses(rewrite(store, entries, { head: headOf(SESSION) }), 'conflict')
    }
    equal([await store.read(SESSION), await store.head(SESSION)], [entriesFrom(1, 3), undefined], 'log and head')
  },
  'rewriting nothing changes nothing': async (store) => {
    await rewrite(store, [])
    await store.append(SESSION, entriesFrom(1, 2))
    await rewrite(store, [])
    await logEnds(store, 2)
  },
  'an overtaken claim rewrites nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 2), { fence })
    const again = await store.claim(SESSION)
    await refuses(rewrite(store, [entryAt(1, 'erased')], { fence }), 'stale-fence')
    equal(await store.read(SESSION), entriesFrom(1, 2), 'the log')
    await rewrite(store, [entryAt(1, 'erased')], { fence: again.fence })
    equal(await store.read(SESSION), [entryAt(1, 'erased'), entryAt(2)], 'the log')
  },
  'head and open reply change with the entries': async (store) => {
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'Secret' }), open: openReply('Once') })
    await rewrite(store, [entryAt(1, 'erased')], { head: headOf(SESSION), open: null })
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION), undefined], 'the records')
  },
  'a rewrite that cannot be cloned changes nothing': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    const entries = [entryAt(1, 'erased'), entryAt(2, () => {})]
    const refusal = await refuses(rewrite(store, entries), 'not-cloneable')
    equal(refusal.facts.path, 'entries[1].patch.note', 'the path of the value')
    equal(await store.read(SESSION), entriesFrom(1, 2), 'the log')
  },
  'what tells of a rewrite joins the log in the same step': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 2), { fence })
    await rewrite(store, [entryAt(1, 'erased')], { fence, append: [entryAt(3)] })
    const log = [entryAt(1, 'erased'), entryAt(2), entryAt(3)]
    equal(await store.read(SESSION), log, 'the log')
    // As after an answer that was lost.
    await rewrite(store, [entryAt(1, 'erased')], { fence, append: [entryAt(3)] })
    await store.append(SESSION, [entryAt(4)], { fence })
    equal(await store.read(SESSION), [...log, entryAt(4)], 'the log after it was asked again')
  },
  'a rewrite with entries that do not go on where the log ends changes nothing': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    await refuses(rewrite(store, [entryAt(1, 'erased')], { append: [entryAt(4)] }), 'conflict')
    await refuses(rewrite(store, [entryAt(3, 'erased')], { append: [entryAt(3)] }), 'conflict')
    equal(await store.read(SESSION), entriesFrom(1, 2), 'the log')
  },
  'a log goes on after a rewrite': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, entriesFrom(1, 3), { fence })
    await rewrite(store, [entryAt(3, 'erased')], { fence })
    await store.append(SESSION, [entryAt(4)], { fence })
    await logEnds(store, 4)
    equal((await store.claim(SESSION)).lastSequence, 4, 'the end of the log')
  },
  'an append does not bring back what was rewritten': async (store) => {
    await store.append(SESSION, entriesFrom(1, 2))
    await rewrite(store, [entryAt(2, 'erased')])
    await refuses(store.append(SESSION, entriesFrom(1, 3)), 'conflict')
    await store.append(SESSION, [entryAt(1), entryAt(2, 'erased'), entryAt(3)])
    equal(await store.read(SESSION), [entryAt(1), entryAt(2, 'erased'), entryAt(3)], 'the log')
  },
}

/** A rewrite is told of like any write. */
export const REWRITE_NOTICE_CASES: StoreCases = {
  'a subscriber hears of a rewrite': async (store) => {
    await store.append(SESSION, [entryAt(1)])
    const heard: string[] = []
    partOf(store, 'subscribe').call(store, (sessionId) => heard.push(sessionId))
    await rewrite(store, [entryAt(1, 'erased')])
    equal(heard, [SESSION], 'what was heard')
  },
}

/** A rewrite holds for everybody. */
export const SHARED_REWRITE_CASES: SharedStoreCases = {
  'a rewrite is seen on another connection': async (first, second) => {
    await first.append(SESSION, entriesFrom(1, 2))
    await rewrite(first, [entryAt(1, 'erased')])
    equal(await second.read(SESSION), [entryAt(1, 'erased'), entryAt(2)], 'the log')
  },
}

async function rewrite(store: SessionStore, entries: readonly Entry[], options?: RewriteOptions): Promise<void> {
  await partOf(store, 'rewrite').call(store, SESSION, entries, options)
}
