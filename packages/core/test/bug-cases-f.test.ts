import { type Entry, MemoryStore, resultText, StorageError } from '@turnloop/core'
import { deferred } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { type Behaviour, faultyStore, refuse } from './faulty-store.ts'
import { collect, lastResults } from './loop-setup.ts'
import { effectTool, kinds, openPage, text, untilAsked, untilIdle } from './session-setup.ts'
import { warnings } from './turn-setup.ts'

const isReply = (entry: Entry): boolean => entry.type === 'message' && entry.message.role === 'assistant'
const TWO_CALLS = { calls: [{ name: 'look' }, { name: 'look' }] }

describe('F1: a disk that is full after ten saves', () => {
  const full: Behaviour = async () => {
    throw new StorageError('quota-exceeded', 'No room is left (9 of 10 bytes are used).')
  }

  /** Three turns on a disk with room for ten saves, and what was heard of them. */
  async function fillDisk() {
    const store = faultyStore()
    store.breakNext('append', ...Array.from({ length: 10 }, (): Behaviour => (go) => go()))
    store.break('append', full)
    const look = effectTool('look', 'read')
    const page = openPage([TWO_CALLS, 'One.', TWO_CALLS, 'Two.', TWO_CALLS, 'Three.'], { store, tools: [look.tool] })
    const heard = collect(page.session.events())
    const texts = []
    for (const question of ['1', '2', '3']) texts.push((await page.session.send(question)).text)
    return { ...page, store, heard, texts }
  }

  test('every turn ends all the same, and the page is told once, with the figures', async () => {
    const { session, texts, heard, store } = await fillDisk()
    expect(store.appends.length).toBeGreaterThan(10)
    expect(texts).toEqual(['One.', 'Two.', 'Three.'])
    expect(session.getSnapshot().storage).toMatchObject({ state: 'full', reason: 'quota-exceeded' })
    await session.close()
    expect(warnings(await heard)).toEqual([expect.stringContaining('9 of 10 bytes are used')])
  })

  test('it is tried again with growing pauses, ten times in the first five minutes', async () => {
    const { clock, store } = await fillDisk()
    const before = store.appends.length
    await clock.advance(300_000)
    expect(store.appends.length - before).toBeLessThanOrEqual(14)
    expect(store.appends.length - before).toBeGreaterThanOrEqual(5)
  })

  test('with room again all that waited is saved, in one write, by itself', async () => {
    const { session, clock, store } = await fillDisk()
    store.mend()
    const before = store.appends.length
    await clock.advance(1000)
    expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
    expect([store.appends.length - before, await store.disk.read('s')]).toEqual([1, session.getEntries()])
  })
})

describe('F11: a long conversation with a reply of a thousand pieces', () => {
  const MESSAGES = 400
  const PIECES = 1000
  const PIECE_MS = 10

  test('is saved once a second while it grows, with nothing of what was before', async () => {
    const store = faultyStore(await storedConversation(MESSAGES))
    const page = openPage([{ text: 'word '.repeat(PIECES) }], {
      store,
      beforeEvent: () => page.clock.advance(PIECE_MS),
    })
    await untilIdle(page.session)
    await page.session.send('Go on')
    expect(page.model.requests[0]?.messages).toHaveLength(MESSAGES + 1)

    const whole = store.appends.filter(({ entries }) => entries.length > 0)
    expect(whole.flatMap(({ entries }) => kinds(entries))).toEqual([
      ...['turn-started', 'message', 'message', 'checkpoint', 'turn-ended'],
    ])
    const growing = store.appends.length - whole.length
    expect(growing).toBeLessThanOrEqual((PIECES * PIECE_MS) / 1000 + 1)
    expect(growing).toBeGreaterThan(5)
    const sizes = store.appends.map((append) => JSON.stringify(append).length)
    expect(Math.max(...sizes)).toBeLessThan(PIECES * 5 + 2000)
  })
})

describe('F12: a page that dies between what it does and what it stores', () => {
  test('runs no idempotent call under a key that a reload would not know', async () => {
    const store = faultyStore()
    const refused = refuse('storage-unavailable')
    store.break('append', (go) => (store.appends.at(-1)?.entries.some(isReply) ? refused(go) : go()))
    const book = effectTool('book', 'idempotent')
    const first = openPage([{ calls: [{ name: 'book' }] }, 'Not booked.'], { store, tools: [book.tool] })
    expect([(await first.session.send('Book')).text, book.runs.length]).toEqual(['Not booked.', 0])

    const second = openPage([{ calls: [{ name: 'book' }] }, 'Booked.'], { store: store.disk, tools: [book.tool] })
    await untilIdle(second.session)
    expect([second.session.getSnapshot().outcome?.kind, book.runs.length]).toEqual(['completed', 1])
  })

  test.each([
    ['unsafe', 'unknown', 1],
    ['idempotent', 'ok', 2],
  ] as const)('after %s execute and before its result: %s', async (effect, status, runs) => {
    const tool = effectTool('pay', effect)
    const { model } = await reloadBefore('tool-settled', tool)
    expect([lastResults(model.requests[0])[0]?.status, tool.runs.length, new Set(tool.runs).size]).toEqual([
      ...[status, runs, 1],
    ])
  })

  test.each(['unsafe', 'idempotent'] as const)('after the result of %s and before its batch: kept', async (effect) => {
    const tool = effectTool('pay', effect)
    const { model } = await reloadBefore('checkpoint', tool)
    const [result] = lastResults(model.requests[0])
    expect([result?.status, result && resultText(result.result), tool.runs.length]).toEqual(['ok', 'pay done', 1])
  })

  test('two conversations that grow at once are both saved within a second', async () => {
    const store = new MemoryStore()
    const pages = ['a', 'b'].map((id) => openGrowing(id, store))
    for (const { session } of pages) await untilAsked(session)
    for (const { clock } of pages) await clock.advance(1000)
    const open = await Promise.all([store.open('a'), store.open('b')])
    expect(open.map((reply) => reply?.message.content)).toEqual([text('Of a '), text('Of b ')])
  })
})

/** A store with one message after the other, a question and an answer to each turn. */
async function storedConversation(messages: number): Promise<MemoryStore> {
  const store = new MemoryStore()
  const page = openPage(() => 'An answer.', { store })
  for (let turn = 0; turn < messages / 2; turn += 1) await page.session.send(`Question ${turn}`)
  await page.session.close()
  return store
}

/** Run a turn with one call, die with nothing stored from the first such entry after the call's start on, and load again. */
async function reloadBefore(type: Entry['type'], { tool }: ReturnType<typeof effectTool>) {
  const whole = new MemoryStore()
  await openPage([{ calls: [{ name: 'pay' }] }, 'Paid.'], { store: whole, tools: [tool] }).session.send('Pay')
  const log = await whole.read('s')
  const start = log.findIndex((entry) => entry.type === 'tool-started')
  const store = new MemoryStore()
  await store.append(
    's',
    log.slice(
      0,
      log.findIndex((entry, at) => at > start && entry.type === type),
    ),
  )
  const page = openPage(['It went on.'], { store, tools: [tool] })
  await untilIdle(page.session)
  return page
}

/** A page whose reply has begun and does not end. */
function openGrowing(id: string, store: MemoryStore) {
  const gate = deferred()
  const beforeEvent = (event: { readonly type: string }) => (event.type === 'text-end' ? gate.promise : undefined)
  const page = openPage([{ text: `Of ${id} ` }], { id, store, beforeEvent })
  page.session.send('Grow').catch(() => {})
  return page
}
