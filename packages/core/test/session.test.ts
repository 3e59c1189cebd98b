import { MemoryStore, openSession, type Snapshot } from '@turnloop/core'
import { expect, test } from 'vitest'
import { collect, outline } from './loop-setup.ts'
import {
  openGated,
  openPage,
  repeat,
  shown,
  text,
  until,
  untilAsked,
  untilIdle,
  waiting,
  watchStatus,
} from './session-setup.ts'

test('a second send waits until the first turn has ended', async () => {
  const { session, gate, model } = openGated()
  const first = session.send('one')
  const second = session.send('two')
  expect(waiting(await until(session, ({ status }) => status === 'running'))).toEqual(['two'])
  gate.resolve()
  expect([(await first).text, (await second).text]).toEqual(['First.', 'You said two'])
  expect(model.requests).toHaveLength(2)
})

test('what is sent while loading is asked in the order it was sent', async () => {
  const { session, model } = openPage(repeat)
  const sends = ['one', 'two', 'three'].map((word, index) => session.send(word, index === 1 ? { turnId: 'named' } : {}))
  await Promise.all(sends)
  expect(outline(model.requests[2]?.messages ?? []).filter((line) => line.startsWith('user'))).toEqual([
    'user: one',
    'user: two',
    'user: three',
  ])
})

test.each(['', '   ', []])('an empty input %j is refused and leaves no trace', async (input) => {
  const { session } = openPage([])
  await expect(session.send(input)).rejects.toMatchObject({ code: 'bad-input' })
  await untilIdle(session)
  expect(session.getEntries()).toEqual([])
})

test('an input that cannot be stored is refused', async () => {
  const { session } = openPage([])
  const part = { type: 'file', mediaType: 'text/plain', data: { base64: () => 'x' } }
  // A caller without types can hand over anything.
  await expect(session.send([part] as never)).rejects.toMatchObject({ code: 'bad-input' })
})

test("the caller's own input stays theirs", async () => {
  const { session } = openPage(repeat)
  const parts = text('mine')
  const turn = session.send(parts)
  parts.push({ type: 'text', text: 'more' })
  await turn
  expect(Object.isFrozen(parts)).toBe(false)
  expect(shown(session)[0]).toBe('user: mine')
})

test('an input that starts at once is never seen waiting', async () => {
  const { session } = openPage(repeat)
  await untilIdle(session)
  const queues: number[] = []
  session.subscribe(() => queues.push(session.getSnapshot().queue.length))
  await session.send('Hi')
  expect(new Set(queues)).toEqual(new Set([0]))
})

test('reject throws while busy and does nothing else', async () => {
  const { session, gate } = openGated()
  const first = session.send('one')
  await expect(session.send('two', { whenBusy: 'reject' })).rejects.toMatchObject({ code: 'session-busy' })
  gate.resolve()
  await first
  expect((await session.send('three', { whenBusy: 'reject' })).text).toBe('You said three')
})

test('replace stops what runs and goes before what waits', async () => {
  const { session } = openGated()
  const seen = watchStatus(session)
  const first = session.send('one')
  const second = session.send('two')
  await untilAsked(session)
  const third = session.send('three', { whenBusy: 'replace' })
  expect((await first).outcome).toMatchObject({ kind: 'cancelled', reason: 'replaced by a newer input' })
  await Promise.all([second, third])
  expect(shown(session).filter((line) => line.startsWith('user'))).toEqual(['user: one', 'user: three', 'user: two'])
  await untilIdle(session)
  expect(seen).toEqual(['loading', 'running', 'cancelling', 'running', 'idle'])
})

test('replace in an idle session just sends', async () => {
  const { session } = openPage(repeat)
  expect((await session.send('one', { whenBusy: 'replace' })).text).toBe('You said one')
})

test("a send's signal stops its turn and holds nothing back", async () => {
  const { session } = openGated()
  const controller = new AbortController()
  const first = session.send('one', { signal: controller.signal })
  const second = session.send('two')
  await untilAsked(session)
  controller.abort('enough')
  expect(session.getSnapshot().status).toBe('cancelling')
  expect((await first).outcome).toMatchObject({ kind: 'cancelled', reason: 'enough' })
  expect((await second).text).toBe('You said two')
})

test("a send's signal takes it out of the queue, and is let go of in the end", async () => {
  const { session, gate } = openGated()
  const controller = new AbortController()
  let listeners = 0
  const { signal } = controller
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
  signal.addEventListener = (...rest: Parameters<typeof add>) => {
    listeners += 1
    add(...rest)
  }
  signal.removeEventListener = (...rest: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...rest)
  }
  const first = session.send('one', { signal })
  const second = session.send('two', { signal })
  gate.resolve()
  await Promise.all([first, second])
  expect(listeners).toBe(0)
  controller.abort()
  expect(session.getSnapshot().status).toBe('idle')
})

test('a signal that is aborted already sends nothing', async () => {
  const { session } = openPage([])
  await untilIdle(session)
  const seen = watchStatus(session)
  const { outcome } = await session.send('one', { signal: AbortSignal.abort('no') })
  expect(outcome).toMatchObject({ kind: 'cancelled', reason: 'no', input: text('one') })
  expect([session.getEntries(), seen]).toEqual([[], ['idle']])
})

test('a waiting input can be changed and removed; one that runs is left alone', async () => {
  const { session, gate } = openGated()
  const first = session.send('one')
  const second = session.send('two')
  const third = session.send('three')
  const [two, three] = (await until(session, ({ status }) => status === 'running')).queue
  await session.editQueued(two?.id ?? '', 'zwei')
  await session.removeQueued(three?.id ?? '')
  await session.editQueued('nobody', 'x')
  await session.removeQueued('nobody')
  await expect(session.editQueued(two?.id ?? '', ' ')).rejects.toMatchObject({ code: 'bad-input' })
  expect((await third).outcome).toMatchObject({ kind: 'cancelled', reason: 'removed from the queue' })
  gate.resolve()
  await first
  expect((await second).text).toBe('You said zwei')
})

test('changing one waiting input leaves the others the same objects', async () => {
  const { session } = openGated()
  for (const word of ['one', 'two', 'three']) session.send(word).catch(() => {})
  await until(session, ({ queue }) => queue.length === 2)
  const before = session.getSnapshot().queue
  await session.editQueued(before[0]?.id ?? '', 'zwei')
  const after = session.getSnapshot().queue
  expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true])
})

test('inputs wait in the stored head, in order, until their turn is in the log', async () => {
  const disk = new MemoryStore()
  const { session, gate } = openGated({ store: disk })
  const sends = ['one', 'two', 'three'].map((word) => session.send(word))
  await untilAsked(session)
  await session.flush()
  expect((await disk.head('s'))?.queue.map(({ content }) => content)).toEqual([text('two'), text('three')])
  gate.resolve()
  await Promise.all(sends)
  expect((await disk.head('s'))?.queue).toEqual([])
})

test('a subscriber that throws starves nobody and becomes one warning', async () => {
  const { session } = openPage(repeat)
  await untilIdle(session)
  session.subscribe(() => {
    throw new Error('mine')
  })
  const seen = watchStatus(session)
  const reading = collect(session.events())
  expect((await session.send('one')).text).toBe('You said one')
  await session.close()
  const warnings = (await reading).filter(({ type }) => type === 'warning')
  expect(seen).toEqual(['idle', 'running', 'idle', 'closed'])
  expect(warnings).toMatchObject([{ message: expect.stringContaining('mine') }])
})

test('listeners hear of changes only, each with a new snapshot', async () => {
  const { session } = openPage(repeat)
  await untilIdle(session)
  const snapshots: Snapshot[] = [session.getSnapshot()]
  const stop = session.subscribe(() => snapshots.push(session.getSnapshot()))
  await session.send('one')
  expect(snapshots.every((snapshot, at) => snapshot !== snapshots[at - 1])).toBe(true)
  const last = session.getSnapshot()
  await session.flush()
  await session.cancel()
  await session.removeQueued('nobody')
  expect([session.getSnapshot() === last, session.getSnapshot() === last]).toEqual([true, true])
  stop()
  const heard = snapshots.length
  await session.send('two')
  expect(snapshots).toHaveLength(heard)
})

test('messages keep their identity from turn to turn', async () => {
  const { session } = openPage(repeat)
  await session.send('one')
  const before = session.getSnapshot().messages
  await session.send('two')
  expect(
    session
      .getSnapshot()
      .messages.slice(0, 2)
      .every((message, at) => message === before[at]),
  ).toBe(true)
})

test('what was wrong is gone when the next turn starts', async () => {
  const { session } = openPage([{ throws: new Error('down') }, 'Well.'])
  expect((await session.send('one')).outcome.kind).toBe('failed')
  expect(session.getSnapshot()).toMatchObject({ outcome: { kind: 'failed' }, error: { message: 'down' } })
  const during = until(session, ({ turn }) => turn !== undefined)
  const second = session.send('two')
  expect([(await during).error, (await during).outcome]).toEqual([undefined, undefined])
  await second
  expect(session.getSnapshot().error).toBeUndefined()
})

test('between two turns that wait for each other the session is never idle', async () => {
  const { session } = openPage(repeat)
  const seen = watchStatus(session)
  await Promise.all(['one', 'two', 'three'].map((word) => session.send(word)))
  expect(seen).toEqual(['loading', 'running', 'idle'])
})

test.each([
  [{}, 'agent'],
  [{ agent: {} }, 'agent'],
  [{ id: '' }, 'id'],
  [{ store: {} }, 'store'],
  [{ resume: 'never' }, 'resume'],
  [{ saveTimeoutMs: -1 }, 'saveTimeoutMs'],
  [{ stroe: undefined }, 'stroe'],
])('opening with %j names the option that cannot work', (options, name) => {
  const { agent } = openPage([])
  const given = name === 'agent' ? options : { agent, ...options }
  // What a page without types can pass.
  expect(() => openSession(given as never)).toThrow(expect.objectContaining({ code: 'bad-option' }))
  expect(() => openSession(given as never)).toThrow(`"${name}"`)
})

test.each([{ whenBusy: 'wait' }, { turnId: '' }, { signal: {} }, { when: 'now' }])(
  'sending with %j names the option that cannot work',
  async (options) => {
    const { session } = openPage([])
    // As above.
    await expect(session.send('x', options as never)).rejects.toMatchObject({ code: 'bad-option' })
    expect((await untilIdle(session)).messages).toEqual([])
  },
)
