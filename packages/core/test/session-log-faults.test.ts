import type { Entry } from '@turnloop/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Behaviour, hang, hangAfter, loseAnswer, refuse, throwForeign, waitFor } from './faulty-store.ts'
import { answerOf, note, openLog, stored, toolStarted, turnEnded } from './log-setup.ts'

test('a refusal that wrote nothing leaves the turn free to run', async () => {
  const bench = openLog()
  bench.store.break('append', refuse('quota-exceeded'))
  expect(await bench.log.append(note()).saved).toBe(true)
  expect(await bench.log.append(toolStarted()).saved).toBe(true)
})

test('a refusal after something of the turn was stored does not', async () => {
  const bench = openLog()
  await bench.log.append(note()).saved
  bench.store.break('append', refuse('quota-exceeded'))
  expect(await bench.log.append(toolStarted()).saved).toBe(false)
})

test.each<[string, Behaviour]>([
  ['a lost answer', loseAnswer],
  ['an error of no known kind', throwForeign],
])('%s counts as perhaps written, and the retry doubles nothing', async (_name, behaviour) => {
  const bench = openLog()
  bench.store.breakNext('append', behaviour)
  expect(await bench.log.append(note()).saved).toBe(false)
  await bench.clock.advance(1000)
  expect(await stored(bench)).toEqual([1])
  expect(bench.statuses.at(-1)).toEqual({ state: 'ready', waiting: 0 })
})

test('a turn perhaps written stays so when a later try is surely refused', async () => {
  const bench = openLog()
  bench.store.breakNext('append', loseAnswer)
  await bench.log.append(note()).saved
  bench.store.break('append', refuse('quota-exceeded'))
  await bench.clock.advance(1000)
  expect(await bench.log.append(toolStarted()).saved).toBe(false)
})

test('a turn that was stored before this page opened counts as stored', async () => {
  const bench = openLog()
  bench.log.startAfter(0, [{ turnId: 'cut' }])
  bench.store.break('append', refuse('quota-exceeded'))
  expect(await bench.log.append(toolStarted('cut')).saved).toBe(false)
  expect(await bench.log.append(toolStarted('new')).saved).toBe(true)
})

test('an input in the stored queue counts as something of its turn', async () => {
  const bench = openLog()
  bench.queue.push({ id: 'i', turnId: 'queued', createdAt: 0, content: [] })
  bench.log.saveRecords()
  await bench.log.flush()
  bench.store.break('append', refuse('quota-exceeded'))
  expect(await bench.log.append(toolStarted('queued')).saved).toBe(false)
})

test('a turn that has ended is forgotten', async () => {
  const bench = openLog()
  await bench.log.append(note(), turnEnded()).saved
  bench.store.break('append', refuse('quota-exceeded'))
  expect(await bench.log.append(note()).saved).toBe(true)
})

test('a closed log that holds nothing of a turn lets it run', async () => {
  const bench = openLog()
  bench.log.close()
  expect(await bench.log.append(toolStarted()).saved).toBe(true)
})

test('a save that hangs is waited for as long as one may take', async () => {
  const bench = openLog()
  bench.store.break('append', hang)
  const { saved } = bench.log.append(note())
  await bench.clock.advance(4999)
  expect(await answerOf(saved, bench)).toBe('waiting')
  await bench.clock.advance(1)
  expect(await saved).toBe(false)
  expect(bench.statuses).toMatchObject([{ state: 'degraded', reason: 'disconnected', waiting: 1 }])
})

test('a store that hangs is waited for once, not at every step', async () => {
  const bench = openLog()
  bench.store.break('append', hang)
  bench.log.append(note())
  await bench.clock.advance(5000)
  for (let step = 0; step < 20; step += 1) {
    expect(await answerOf(bench.log.append(note()).saved, bench)).toBe(false)
    await bench.clock.advance(700)
  }
})

test('a store that refuses keeps no step waiting either', async () => {
  const bench = openLog()
  bench.store.break('append', refuse('disconnected'))
  for (let step = 0; step < 20; step += 1) {
    expect(await answerOf(bench.log.append(note()).saved, bench)).toBe(false)
  }
  expect(bench.store.calls.append).toBe(1)
})

test('a hung save that answers late has saved what it was about', async () => {
  const bench = openLog()
  let open = (): void => {}
  bench.store.breakNext('append', waitFor(new Promise<void>((resolve) => (open = resolve))))
  bench.log.append(note())
  await bench.clock.advance(5500)
  open()
  await bench.clock.advance(0)
  expect([await stored(bench), bench.statuses.at(-1)]).toEqual([[1], { state: 'ready', waiting: 0 }])
  expect(bench.clock.pending).toBe(0)
})

test('a save that never answers is tried again and does not block the log', async () => {
  const bench = openLog()
  bench.store.breakNext('append', hangAfter, hang)
  bench.log.append(note())
  await bench.clock.advance(5000 + 1000 + 5000 + 2000)
  expect([await stored(bench), bench.statuses.at(-1)?.state]).toEqual([[1], 'ready'])
  expect(await bench.log.append(note()).saved).toBe(true)
})

test('flush resolves although the store never answers', async () => {
  const bench = openLog()
  bench.store.break('append', hang)
  bench.log.append(note())
  const flushed = bench.log.flush()
  await bench.clock.advance(5000)
  await flushed
  expect(bench.statuses.at(-1)?.state).toBe('degraded')
})

test.each<[string, Behaviour]>([
  ['hangs', hang],
  ['loses its answer', loseAnswer],
  ['is refused', refuse('storage-unavailable')],
])('a claim that %s has stored nothing of a turn', async (_name, behaviour) => {
  const bench = openLog()
  bench.store.break('claim', behaviour)
  const { saved } = bench.log.append(note())
  await bench.clock.advance(5000)
  expect(await saved).toBe(true)
  bench.store.mend()
  await bench.clock.advance(2000)
  expect([await stored(bench), bench.store.calls.append]).toEqual([[1], 1])
})

test('a claim that answers late voids no newer one', async () => {
  const bench = openLog()
  let open = (): void => {}
  const late: Behaviour = async (go) => {
    const claim = await go()
    await new Promise<void>((resolve) => (open = resolve))
    return claim
  }
  bench.store.breakNext('claim', late)
  bench.log.append(note())
  await bench.clock.advance(6000)
  open()
  await bench.clock.advance(0)
  expect(await bench.log.append(note()).saved).toBe(true)
  expect([await stored(bench), bench.stale, bench.store.calls.append]).toEqual([[1, 2], 0, 2])
})

test('a save overtaken by our own claim goes out again and nothing is lost', async () => {
  const bench = openLog()
  await bench.log.claim()
  let open = (): void => {}
  bench.store.breakNext('append', waitFor(new Promise<void>((resolve) => (open = resolve))))
  const { saved } = bench.log.append(note())
  await bench.clock.advance(0)
  await bench.log.claim()
  open()
  expect(await saved).toBe(true)
  expect([await stored(bench), bench.stale]).toEqual([[1], 0])
})

test('a claim that was asked and not answered does not make this page stale', async () => {
  const bench = openLog()
  await bench.log.claim()
  bench.store.breakNext('claim', hangAfter)
  bench.log.claim().catch(() => {})
  expect(await bench.log.append(note()).saved).toBe(true)
  expect(bench.stale).toBe(0)
})

test('a claim after a lost answer joins what that save had stored', async () => {
  const bench = openLog()
  bench.store.breakNext('append', loseAnswer)
  bench.log.append(note())
  await bench.clock.advance(0)
  bench.store.breakNext('claim', refuse('storage-unavailable'))
  await bench.log.claim().catch(() => {})
  bench.log.append(note())
  await bench.clock.advance(1000)
  expect([await stored(bench), bench.stale]).toEqual([[1, 2], 0])
})

const behaviours: readonly (Behaviour | undefined)[] = [
  undefined,
  refuse('quota-exceeded'),
  refuse('disconnected'),
  loseAnswer,
  hang,
  hangAfter,
  throwForeign,
]
const move = fc.record({
  on: fc.constantFrom('append', 'claim'),
  what: fc.nat(behaviours.length - 1),
  ms: fc.nat(9000),
})

test('whatever goes wrong, what is stored has no gap and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
      const bench = openLog()
      const all: Entry[] = []
      for (const { on, what, ms } of moves) {
        const behaviour = behaviours[what]
        if (behaviour !== undefined) bench.store.breakNext(on === 'claim' ? 'claim' : 'append', behaviour)
        if (on === 'claim') bench.log.claim().catch(() => {})
        all.push(...bench.log.append(note(), note()).entries)
        await bench.clock.advance(ms)
        const onDisk = await bench.store.disk.read('s')
        expect(onDisk).toEqual(all.slice(0, onDisk.length))
      }
      bench.store.mend()
      await bench.clock.advance(60_000)
      await bench.log.flush()
      expect([await bench.store.disk.read('s'), bench.stale]).toEqual([all, 0])
      for (const { entries, options } of bench.store.appends) {
        const last = entries.at(-1)?.sequence
        if (last !== undefined) expect(options.head?.lastSequence).toBe(last)
      }
    }),
    { numRuns: 150 },
  )
})
