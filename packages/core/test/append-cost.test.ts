import type { Entry, Session, SessionStore } from '@turnloop/core'
import { expect, test } from 'vitest'
import { faultyStore } from './faulty-store.ts'
import { diskWith, logOf } from './paging-setup.ts'
import { openPage, repeat, untilIdle } from './session-setup.ts'

/** What a turn, and some changes beside it, ask of the store in a session of so many turns: bytes by write. */
async function writesAfter(turns: number): Promise<number[]> {
  const log = logOf(Array.from({ length: turns }, () => ({ kind: 'tools' as const, pick: 1 })))
  const store = faultyStore(await diskWith(log))
  const { session } = openPage(repeat, { store })
  await untilIdle(session)
  await session.send('one')
  await session.rename('Named')
  await session.setState({ seen: true })
  await session.addNote('Noted')
  await session.send('two')
  await session.flush()
  await session.close()
  return store.appends.map(({ entries, options }) => JSON.stringify([entries, options]).length)
}

test('no write grows with what was written before, in number or in bytes', async () => {
  const [short, long] = [await writesAfter(20), await writesAfter(2000)]
  expect(long).toHaveLength(short.length)
  // Sequences have more digits.
  for (const [at, bytes] of long.entries()) expect(bytes - (short[at] ?? 0)).toBeLessThan(60)
})

/** Lets the entries that a store gives tell which of them are looked at. */
function watchEntries(store: SessionStore): Set<number> {
  const looked = new Set<number>()
  const watch = (entry: Entry): Entry =>
    new Proxy(entry, {
      get(target, key, receiver) {
        looked.add(target.sequence)
        return Reflect.get(target, key, receiver)
      },
    })
  const read = store.read.bind(store)
  store.read = async (...asked) => (await read(...asked)).map(watch)
  return looked
}

test.each([
  ['a note', (session: Session, words: string) => session.addNote(words)],
  ['a turn', (session: Session, words: string) => session.send(words)],
  ['a state', (session: Session, words: string) => session.setState({ words })],
  ['a name', (session: Session, words: string) => session.rename(words)],
])('%s looks at none of the entries from before', async (_what, add) => {
  const log = logOf(Array.from({ length: 50 }, () => ({ kind: 'tools' as const, pick: 1 })))
  const store = await diskWith(log)
  const looked = watchEntries(store)
  const { session } = openPage(repeat, { store })
  await session.checkpoints()
  await add(session, 'First')
  looked.clear()
  await add(session, 'Second')
  await session.flush()
  expect(looked.size).toBeLessThan(5)
  await session.close()
})
