import type { Entry, SessionStore } from '@turnloop/core'
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

/** What a subscriber hears. */
export const NOTICE_CASES: StoreCases = {
  'a subscriber hears of writes and removals': async (store) => {
    const heard: string[] = []
    subscribe(store, (sessionId) => heard.push(sessionId))
    await store.append(SESSION, [entryAt(1)])
    await store.append('another', [], { head: headOf('another') })
    await store.remove(SESSION)
    equal(heard, [SESSION, 'another', SESSION], 'what was heard')
  },
  'a subscriber hears nothing of a refused append': async (store) => {
    const heard: string[] = []
    subscribe(store, (sessionId) => heard.push(sessionId))
    await refuses(store.append(SESSION, [entryAt(2)]), 'conflict')
    equal(heard, [], 'what was heard')
  },
  'a subscriber that left hears nothing': async (store) => {
    const heard: string[] = []
    const leave = subscribe(store, (sessionId) => heard.push(sessionId))
    leave()
    leave()
    await store.append(SESSION, [entryAt(1)])
    equal(heard, [], 'what was heard')
  },
}

/** What survives the connection, and two connections that meet. */
export const REOPEN_CASES: SharedStoreCases = {
  'everything is there on another connection': async (first, second) => {
    const head = headOf(SESSION, { title: 'Cars', lastSequence: 3 })
    await first.append(SESSION, entriesFrom(1, 3), { head, open: openReply('Once') })
    const found = [await second.read(SESSION), await second.head(SESSION), await second.open(SESSION)]
    equal(found, [entriesFrom(1, 3), head, openReply('Once')], 'the session')
    equal(await second.list(), [head], 'the list')
  },
  'a claim on another connection shuts this one out': async (first, second) => {
    const { fence } = await first.claim(SESSION)
    await first.append(SESSION, [entryAt(1)], { fence })
    const taken = await second.claim(SESSION)
    equal([taken.lastSequence, taken.fence > fence], [1, true], 'the second claim')
    await refuses(first.append(SESSION, [entryAt(2)], { fence }), 'stale-fence')
    await second.append(SESSION, [entryAt(2)], { fence: taken.fence })
    await logEnds(first, 2)
  },
  'claims on two connections at once get different fences': async (first, second) => {
    const stores = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? first : second))
    const claims = await Promise.all(stores.map((store) => store.claim(SESSION)))
    equal(new Set(claims.map((claim) => claim.fence)).size, 10, 'how many fences differ')
  },
  'two connections that race leave one winner and no gap': async (first, second) => {
    for (let sequence = 1; sequence <= 20; sequence += 1) {
      const answers = await Promise.allSettled([
        first.append(SESSION, [entryAt(sequence, 'first')]),
        second.append(SESSION, [entryAt(sequence, 'second')]),
      ])
      const winners = answers.filter((answer) => answer.status === 'fulfilled').length
      equal(winners, 1, `how many wrote entry ${sequence}`)
    }
    await logEnds(second, 20)
  },
  'a removal is seen on another connection': async (first, second) => {
    const { fence } = await first.claim(SESSION)
    await first.append(SESSION, [entryAt(1)], { fence, head: headOf(SESSION) })
    await second.remove(SESSION)
    await refuses(first.append(SESSION, [entryAt(2)], { fence }), 'stale-fence')
    equal(await first.list(), [], 'the list')
  },
}

/** Notices between connections. */
export const SHARED_NOTICE_CASES: SharedStoreCases = {
  'a subscriber hears of another connection': async (first, second) => {
    const heard = new Promise<string>((resolve) => subscribe(second, resolve))
    await first.append(SESSION, [entryAt(1)])
    equal(await heard, SESSION, 'what was heard')
  },
  'what a notice tells of can be read': async (first, second) => {
    const found = new Promise<Entry[]>((resolve, reject) => {
      subscribe(second, (sessionId) => second.read(sessionId).then(resolve, reject))
    })
    await first.append(SESSION, entriesFrom(1, 2))
    equal(await found, entriesFrom(1, 2), 'the log')
  },
}

function subscribe(store: SessionStore, onChange: (sessionId: string) => void): () => void {
  return partOf(store, 'subscribe').call(store, onChange)
}
