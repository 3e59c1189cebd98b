import { deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { hang, refuse, waitFor } from './faulty-store.ts'
import { note, openLog, sequences, stored, toolStarted } from './log-setup.ts'

test('entries are numbered at once and stored as the very same objects', async () => {
  const bench = openLog()
  const { entries, saved } = bench.log.append(note(), note())
  expect([sequences(entries), bench.log.lastSequence]).toEqual([[1, 2], 2])
  expect(await saved).toBe(true)
  expect((await bench.store.disk.read('s'))[0]).toBe(entries[0])
})

test('what is appended in one go is saved in one append', async () => {
  const bench = openLog()
  bench.log.append(note())
  bench.log.append(note())
  bench.log.saveRecords()
  await bench.log.flush()
  expect(bench.store.appends.map(({ entries }) => sequences(entries))).toEqual([[1, 2]])
})

test('only a batch that starts a tool asks for a strict write', async () => {
  const bench = openLog()
  await bench.log.append(note()).saved
  await bench.log.append(toolStarted()).saved
  expect(bench.store.appends.map(({ options }) => options.strict)).toEqual([undefined, true])
})

test('a failed save goes out again with all that waits, oldest first', async () => {
  const bench = openLog()
  bench.store.breakNext('append', refuse('quota-exceeded'))
  bench.log.append(note())
  await bench.clock.advance(0)
  bench.log.append(note())
  bench.log.append(note())
  await bench.clock.advance(1000)
  expect(bench.store.appends.map(({ entries }) => sequences(entries))).toEqual([[1], [1, 2, 3]])
  expect(await stored(bench)).toEqual([1, 2, 3])
})

test('pauses between tries double up to thirty seconds', async () => {
  const bench = openLog()
  bench.store.break('append', refuse('quota-exceeded'))
  bench.log.append(note())
  const pauses: number[] = []
  for (let turn = 0; turn < 7; turn += 1) {
    await bench.clock.advance(0)
    const pause = (bench.clock.next() ?? 0) - bench.clock.now()
    pauses.push(pause)
    await bench.clock.advance(pause)
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
})

test('a success ends the pauses and the next failure begins anew', async () => {
  const bench = openLog()
  bench.store.breakNext('append', refuse('quota-exceeded'), refuse('quota-exceeded'))
  bench.log.append(note())
  await bench.clock.advance(3000)
  expect(await stored(bench)).toEqual([1])
  bench.store.breakNext('append', refuse('quota-exceeded'))
  bench.log.append(note())
  await bench.clock.advance(0)
  expect((bench.clock.next() ?? 0) - bench.clock.now()).toBe(1000)
})

test.each([
  ['quota-exceeded', 'full'],
  ['storage-unavailable', 'blocked'],
  ['blocked-by-other-tab', 'blocked'],
  ['newer-version', 'blocked'],
  ['disconnected', 'degraded'],
  ['not-cloneable', 'degraded'],
] as const)('a store that answers %s makes the status %s, with the reason', async (code, state) => {
  const bench = openLog()
  bench.store.break('append', refuse(code))
  bench.log.append(note())
  await bench.clock.advance(0)
  expect(bench.statuses).toEqual([{ state, reason: code, message: `refused: ${code}`, waiting: 1 }])
  bench.store.mend()
  await bench.log.flush()
  expect(bench.statuses.at(-1)).toEqual({ state: 'ready', waiting: 0 })
})

test('flush tries at once, whatever pause is running', async () => {
  const bench = openLog()
  bench.store.breakNext('append', refuse('quota-exceeded'))
  bench.log.append(note())
  await bench.clock.advance(0)
  await bench.log.flush()
  expect(await stored(bench)).toEqual([1])
})

test('records that could not be saved are tried again', async () => {
  const bench = openLog()
  bench.store.breakNext('append', refuse('quota-exceeded'))
  bench.queue.push({ id: 'i', turnId: 'q', createdAt: 0, content: [] })
  bench.log.saveRecords()
  await bench.clock.advance(1000)
  expect((await bench.store.disk.head('s'))?.queue).toHaveLength(1)
})

test('while it is held it saves nothing, and afterwards everything', async () => {
  const bench = openLog()
  bench.log.hold()
  bench.log.append(note())
  await bench.log.flush()
  expect(bench.store.calls.append).toBe(0)
  bench.log.release()
  await bench.log.flush()
  expect(await stored(bench)).toEqual([1])
})

test('a sealed log lets out what waited, with the records of then', async () => {
  const bench = openLog()
  bench.log.append(note())
  bench.log.seal()
  const after = bench.log.append(note())
  await bench.log.flush()
  expect(await after.saved).toBe(false)
  expect([await stored(bench), (await bench.store.disk.head('s'))?.lastSequence]).toEqual([[1], 1])
})

test('closing answers everybody who waits', async () => {
  const bench = openLog()
  bench.store.break('append', hang)
  const { saved } = bench.log.append(note())
  await bench.clock.advance(0)
  bench.log.close()
  expect(await saved).toBe(false)
})

test('a closed log leaves no timer behind', async () => {
  const bench = openLog()
  bench.store.break('append', refuse('quota-exceeded'))
  bench.log.append(note())
  await bench.clock.advance(0)
  bench.log.close()
  expect(bench.clock.pending).toBe(0)
})

test('another writer makes the log stale once, and nothing more is written', async () => {
  const bench = openLog()
  await bench.log.append(note()).saved
  await bench.store.disk.claim('s')
  expect(await bench.log.append(note()).saved).toBe(false)
  expect(await bench.log.append(note()).saved).toBe(false)
  bench.log.saveRecords()
  await bench.log.flush()
  expect([await stored(bench), bench.stale, bench.store.calls.append]).toEqual([[1], 1, 2])
  expect(bench.statuses.at(-1)).toMatchObject({ state: 'lost', reason: 'stale-fence' })
})

test('entries of another writer in the way make the log stale', async () => {
  const bench = openLog()
  bench.store.breakNext('claim', refuse('storage-unavailable'))
  bench.log.append(note('mine'))
  await bench.store.disk.append('s', [{ sequence: 1, at: 0, ...note('theirs') }])
  await bench.clock.advance(1000)
  expect([bench.stale, bench.statuses.at(-1)?.state]).toEqual([1, 'lost'])
  expect((await bench.store.disk.read('s')).map(({ turnId }) => turnId)).toEqual(['theirs'])
})

test('records alone do not go beside entries that this page has not read', async () => {
  const bench = openLog()
  const head = { id: 's', createdAt: 0, updatedAt: 0, lastSequence: 1, turns: 0, state: {}, usage: {}, queue: [] }
  await bench.store.disk.append('s', [{ sequence: 1, at: 0, ...note('theirs') }], { head })
  bench.log.saveRecords()
  await bench.log.flush()
  expect([bench.stale, (await bench.store.disk.head('s'))?.lastSequence]).toEqual([1, 1])
})

test('a save that is on its way when the log is held waits for the release', async () => {
  const bench = openLog()
  const gate = deferred()
  bench.store.breakNext('claim', waitFor(gate.promise))
  bench.log.saveRecords()
  await bench.clock.advance(0)
  bench.log.hold()
  await bench.store.disk.append('s', [{ sequence: 1, at: 0, ...note('theirs') }])
  gate.resolve()
  await bench.clock.advance(0)
  expect([bench.store.calls.append, bench.stale]).toEqual([0, 0])
  bench.log.startAfter(1, [])
  bench.log.release()
  await bench.log.flush()
  expect([bench.store.calls.append, bench.stale]).toEqual([1, 0])
})
