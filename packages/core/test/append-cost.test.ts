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
