import {
  entriesFrom,
  entryAt,
  equal,
  headOf,
  logEnds,
  refuses,
  SESSION,
  type StoreCases,
} from './store-contract-checks.ts'

/** Who may write: claims, fences, and writers that meet. */
export const WRITER_CASES: StoreCases = {
  'a claim says where the log ends': async (store) => {
    equal((await store.claim(SESSION)).lastSequence, 0, 'the end of a new log')
    await store.append(SESSION, entriesFrom(1, 7))
    equal((await store.claim(SESSION)).lastSequence, 7, 'the end of the log')
  },
  'a claim alone does not put a session on the list': async (store) => {
    await store.claim(SESSION)
    equal([await store.list(), await store.read(SESSION)], [[], []], 'list and log')
  },
  'each claim raises the fence': async (store) => {
    const first = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence: first.fence })
    const second = await store.claim(SESSION)
    equal(second.fence > first.fence, true, 'whether the second fence is higher')
  },
  'the last claim can write': async (store) => {
    await store.claim(SESSION)
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.append(SESSION, [entryAt(2)], { fence })
    await logEnds(store, 2)
  },
  'an older claim can write nothing': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.claim(SESSION)
    const head = headOf(SESSION)
    await refuses(store.append(SESSION, [entryAt(1)], { fence, head }), 'stale-fence')
    await refuses(store.append(SESSION, [], { fence, head }), 'stale-fence')
    equal([await store.read(SESSION), await store.head(SESSION)], [[], undefined], 'log and head')
  },
  'an older claim cannot even retry': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.claim(SESSION)
    await refuses(store.append(SESSION, [entryAt(1)], { fence }), 'stale-fence')
  },
  'a claim of one session leaves the others alone': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.claim('another')
    await store.append(SESSION, [entryAt(1)], { fence })
    await logEnds(store, 1)
  },
  'a claim does not outlive its session': async (store) => {
    const { fence } = await store.claim(SESSION)
    await store.append(SESSION, [entryAt(1)], { fence })
    await store.remove(SESSION)
    await refuses(store.append(SESSION, [], { fence, head: headOf(SESSION) }), 'stale-fence')
    const again = await store.claim(SESSION)
    equal(again.fence === fence, false, 'whether a fence was given twice')
    await refuses(store.append(SESSION, [entryAt(1)], { fence }), 'stale-fence')
  },
  'claims at the same time get different fences': async (store) => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(SESSION)))
    const fences = claims.map((claim) => claim.fence)
    equal(new Set(fences).size, 20, 'how many fences differ')
    await store.append(SESSION, [entryAt(1)], { fence: Math.max(...fences) })
    await refuses(store.append(SESSION, [entryAt(2)], { fence: Math.min(...fences) }), 'stale-fence')
  },
  'of two writers at the same time one wins': async (store) => {
    const answers = await Promise.allSettled([
      store.append(SESSION, [entryAt(1, 'a'), entryAt(2, 'a')]),
      store.append(SESSION, [entryAt(1, 'b'), entryAt(2, 'b')]),
    ])
    equal(answers.map((answer) => answer.status).sort(), ['fulfilled', 'rejected'], 'the answers')
    const winner = answers[0].status === 'fulfilled' ? 'a' : 'b'
    equal(await store.read(SESSION), [entryAt(1, winner), entryAt(2, winner)], 'the log')
  },
  'many writers at the same time leave no gap': async (store) => {
    const attempts = Array.from({ length: 60 }, (_, index) =>
      store.append(SESSION, [entryAt(Math.floor(index / 3) + 1, index)]).catch(() => {}),
    )
    await Promise.all(attempts)
    const { lastSequence } = await store.claim(SESSION)
    equal(lastSequence > 0, true, 'whether anyone could write')
    await logEnds(store, lastSequence)
  },
}
