import {
  entriesFrom,
  entryAt,
  equal,
  headOf,
  logEnds,
  openReply,
  refuses,
  SESSION,
  type StoreCases,
} from './store-contract-checks.ts'

/** The two records beside the log, the list, and removal. */
export const RECORD_CASES: StoreCases = {
  'head and open reply are stored with the entries': async (store) => {
    const head = headOf(SESSION, { title: 'Cars', lastSequence: 1, state: { step: 1 } })
    await store.append(SESSION, [entryAt(1)], { head, open: openReply('Once') })
    equal([await store.head(SESSION), await store.open(SESSION)], [head, openReply('Once')], 'the records')
  },
  'head and open reply are replaced as a whole': async (store) => {
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'Old' }), open: openReply('Once') })
    await store.append(SESSION, [entryAt(2)], { head: headOf(SESSION, { turns: 2 }), open: openReply('Once upon') })
    const records = [await store.head(SESSION), await store.open(SESSION)]
    equal(records, [headOf(SESSION, { turns: 2 }), openReply('Once upon')], 'the records')
  },
  'records that are not given stay': async (store) => {
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION), open: openReply('Once') })
    await store.append(SESSION, [entryAt(2)])
    await store.append(SESSION, [entryAt(3)], {})
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION), openReply('Once')], 'the records')
  },
  'null erases the open reply': async (store) => {
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION), open: openReply('Once') })
    await store.append(SESSION, [entryAt(2)], { open: null })
    equal([await store.head(SESSION), await store.open(SESSION)], [headOf(SESSION), undefined], 'the records')
  },
  'an append without entries replaces the records alone': async (store) => {
    await store.append(SESSION, [], { head: headOf(SESSION, { title: 'Queued' }) })
    await store.append(SESSION, [], { open: openReply('Once') })
    equal((await store.head(SESSION))?.title, 'Queued', 'the title')
    equal(await store.open(SESSION), openReply('Once'), 'the open reply')
    await logEnds(store, 0)
    await store.append(SESSION, entriesFrom(1, 2))
    await logEnds(store, 2)
  },
  'an append of nothing changes nothing': async (store) => {
    await store.append(SESSION, [])
    equal([await store.list(), await store.read(SESSION)], [[], []], 'list and log')
  },
  'a refused append leaves the records as they were': async (store) => {
    const [head, open] = [headOf(SESSION, { title: 'Old' }), openReply('Old')]
    await store.append(SESSION, [entryAt(1)], { head, open })
    const records = { head: headOf(SESSION, { title: 'New' }), open: openReply('New') }
    await refuses(store.append(SESSION, [entryAt(3)], records), 'conflict')
    await refuses(store.append(SESSION, [entryAt(2, () => {})], records), 'not-cloneable')
    equal([await store.head(SESSION), await store.open(SESSION)], [head, open], 'the records')
    await logEnds(store, 1)
  },
  'a record that cannot be cloned refuses the entries too': async (store) => {
    // What JSON cannot hold must get here to be refused.
    const state = { call: (() => {}) as unknown as string }
    const refusal = await refuses(
      store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { state }) }),
      'not-cloneable',
    )
    equal(refusal.facts.path, 'head.state.call', 'the path of the value')
    await logEnds(store, 0)
  },
  'a retry replaces the records again': async (store) => {
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'First' }) })
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'Retried' }) })
    equal((await store.head(SESSION))?.title, 'Retried', 'the title')
  },
  'a retry that the log has gone past leaves the records': async (store) => {
    const newer = headOf(SESSION, { title: 'Newer', lastSequence: 2 })
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'Older' }) })
    await store.append(SESSION, [entryAt(2)], { head: newer, open: openReply('Newer') })
    await store.append(SESSION, [entryAt(1)], { head: headOf(SESSION, { title: 'Older' }), open: null })
    equal([await store.head(SESSION), await store.open(SESSION)], [newer, openReply('Newer')], 'the records')
  },
  'the list is newest first and shows each head once': async (store) => {
    const heads = [3, 1, 4, 2].map((updatedAt) => headOf(`session-${updatedAt}`, { updatedAt }))
    for (const head of heads) await store.append(head.id, [], { head })
    await store.append('session-1', [entryAt(1)], { head: headOf('session-1', { updatedAt: 9 }) })
    await store.append('without-head', [entryAt(1)])
    const ids = (await store.list()).map((head) => head.id)
    equal(ids, ['session-1', 'session-4', 'session-3', 'session-2'], 'the list')
  },
  'removing a session removes all of it': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3), { head: headOf(SESSION), open: openReply('Once') })
    await store.remove(SESSION)
    const left = [await store.read(SESSION), await store.head(SESSION), await store.open(SESSION), await store.list()]
    equal(left, [[], undefined, undefined, []], 'what is left')
    equal((await store.claim(SESSION)).lastSequence, 0, 'the end of the log')
  },
  'a removed session starts again at 1': async (store) => {
    await store.append(SESSION, entriesFrom(1, 3))
    await store.remove(SESSION)
    await refuses(store.append(SESSION, [entryAt(4)]), 'conflict')
    const again = [entryAt(1, 'again'), entryAt(2, 'again'), entryAt(3, 'again')]
    await store.append(SESSION, again)
    equal(await store.read(SESSION), again, 'the log')
  },
  'removing what is not there is no error': async (store) => {
    await store.remove(SESSION)
    await store.remove(SESSION)
    await logEnds(store, 0)
  },
}
