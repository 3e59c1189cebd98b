import { MemoryStore } from '@turnloop/core'
import { deafTool, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { after, answer, cutDisk, effects, openCut, settled, whole } from './cut-setup.ts'
import { type FaultyStore, faultyStore, hang, waitFor } from './faulty-store.ts'
import { outline } from './loop-setup.ts'
import { kinds, openPage, type Page, shown, until, untilIdle, waiting, watchStatus } from './session-setup.ts'

/** A page in the middle of a reply, a second after its first words. */
async function growing(store: MemoryStore | FaultyStore): Promise<Page> {
  const gate = deferred()
  const page = openPage(['One two three four five six'], {
    store,
    beforeEvent: (event) => (event.type === 'text-end' ? gate.promise : undefined),
  })
  page.session.send('Count').catch(() => {})
  await until(page.session, ({ open }) => JSON.stringify(open ?? '').includes('six'))
  await page.clock.advance(1000)
  return page
}

test('the growing reply is shown after a reload until the new one starts', async () => {
  const disk = new MemoryStore()
  await growing(disk)
  const gate = deferred()
  const { session, model } = openPage([{ text: 'Again.', gate: gate.promise }], { store: disk })
  const opens: string[] = []
  session.subscribe(() => {
    const { open } = session.getSnapshot()
    const text = open === undefined ? '-' : open.content.map((part) => ('text' in part ? part.text : '')).join('')
    if (text !== opens.at(-1)) opens.push(text)
  })
  await until(session, ({ activity }) => activity?.kind === 'model')
  expect(opens).toEqual(['One two three four five six', ''])
  gate.resolve()
  await untilIdle(session)
  expect(outline(model.requests[0]?.messages ?? [])).toEqual(['user: Count'])
  expect(shown(session)).toEqual(['user: Count', 'assistant: Again.'])
})

test('the growing reply stays on the screen while nothing goes on', async () => {
  const disk = new MemoryStore()
  await growing(disk)
  const { session } = openPage(['Fine.'], { store: disk, resume: 'manual' })
  const { open, status } = await untilIdle(session)
  expect([status, open?.partial, open?.content]).toEqual([
    'idle',
    true,
    [{ type: 'text', text: 'One two three four five six' }],
  ])
  await session.send('Go')
  expect(shown(session)).toEqual(['user: Count', 'user: Go', 'assistant: Fine.'])
  expect(await disk.open('s')).toBeUndefined()
})

test('the growing reply is saved once a second, however fast it grows', async () => {
  const store = faultyStore()
  const page = openPage(() => ({ text: Array.from({ length: 400 }, (_, index) => `w${index}`).join(' ') }), {
    store,
    beforeEvent: (event) => (event.type === 'text-delta' ? page.clock.advance(10) : undefined),
  })
  await page.session.send('Count')
  const saves = store.appends.filter(({ entries, options }) => entries.length === 0 && options.open)
  expect(saves.length).toBeGreaterThanOrEqual(3)
  expect(saves.length).toBeLessThanOrEqual(4)
  expect(await store.disk.open('s')).toBeUndefined()
})

test('what waited is asked after a reload, in order, behind the cut turn', async () => {
  const { session, model } = openCut(await cutDisk(after('checkpoint'), ['one', 'two']))
  const third = session.send('three')
  expect((await third).outcome.kind).toBe('completed')
  const asked = session.getSnapshot().messages.filter(({ role }) => role === 'user')
  expect(outline(asked)).toEqual(['user: Settle', 'user: one', 'user: two', 'user: three'])
  expect(model.requests).toHaveLength(4)
})

test('nobody sees a session idle between the turns it has to do', async () => {
  const { session } = openCut(await cutDisk(after('checkpoint'), ['one', 'two']))
  const seen = watchStatus(session)
  await untilIdle(session)
  expect(seen).toEqual(['loading', 'running', 'idle'])
})

test('what waits is held while a cut turn waits to be resumed, and follows it', async () => {
  const { session } = openCut(await cutDisk(after('checkpoint'), ['one', 'two']), { resume: 'manual' })
  const held = await untilIdle(session)
  expect([waiting(held), held.resumable]).toEqual([['one', 'two'], true])
  await session.resume()
  const done = await until(session, ({ status, queue }) => status === 'idle' && queue.length === 0)
  expect(outline(done.messages).slice(-4)).toEqual(['user: one', 'assistant: Fine.', 'user: two', 'assistant: Fine.'])
})

test('stored inputs can be changed and removed, also while loading', async () => {
  const disk = await cutDisk(after('checkpoint'), ['one', 'two', 'three'])
  const { session } = openCut(disk, { resume: 'manual' })
  await Promise.all([session.editQueued('i1', 'zwei'), session.removeQueued('i0')])
  expect(waiting(session.getSnapshot())).toEqual(['zwei', 'three'])
  await session.flush()
  expect((await disk.head('s'))?.queue.map(({ id }) => id)).toEqual(['i1', 'i2'])
})

test('an input that is about to start stays stored until its turn is in the log', async () => {
  const store = faultyStore(await cutDisk(whole.length, ['one', 'two']))
  store.break('claim', hang)
  const { session, clock } = openPage(answer, { store })
  await until(session, ({ status }) => status === 'running')
  store.mend()
  session.send('three').catch(() => {})
  await clock.advance(6000)
  const heads = store.appends.map(({ options, entries }) => ({
    waits: options.head?.queue.map(({ turnId }) => turnId) ?? [],
    starts: entries.flatMap((entry) => (entry.type === 'turn-started' ? [entry.turnId] : [])),
  }))
  const first = heads.findIndex(({ starts }) => starts.includes('t0'))
  expect(heads.slice(0, first).every(({ waits }) => waits.includes('t0'))).toBe(true)
  expect(heads[first]?.waits).not.toContain('t0')
})

test('closing while a cut turn is being closed loses no input', async () => {
  const disk = await cutDisk(after('message'))
  const store = faultyStore(disk)
  const { session } = openPage(answer, { store, resume: 'manual' })
  await untilIdle(session)
  session.send('Do not lose me').catch(() => {})
  await until(session, ({ outcome }) => outcome?.kind === 'interrupted')
  const at = store.appends.findIndex(({ entries }) => entries.some(({ type }) => type === 'turn-ended'))
  const queue = store.appends[at]?.options.head?.queue ?? []
  const joined = store.appends[at]?.entries.some((entry) => JSON.stringify(entry).includes('Do not lose me'))
  expect(queue.length === 1 || joined).toBe(true)
})

test('a session that is left writes no end, and the next page goes on', async () => {
  const disk = new MemoryStore()
  const world = effects()
  const deaf = deafTool({ name: 'look', effect: 'read' })
  const first = openPage(answer, {
    store: disk,
    tools: [deaf, world.book.tool, world.pay.tool],
    toolExecution: 'sequential',
  })
  first.session.send('Settle').catch(() => {})
  await deaf.started
  const leaving = first.session.close({ running: 'leave' })
  await first.clock.advance(2000)
  await leaving
  expect(kinds(await disk.read('s'))).not.toContain('turn-ended')
  const second = openPage(answer, { store: disk, tools: world.tools })
  await untilIdle(second.session)
  expect(settled(second.session.getEntries())).toEqual(['look ok', 'book ok', 'pay ok'])
  expect([world.look.runs.length, world.pay.runs.length]).toEqual([1, 1])
})

test('what had finished when the page left is kept, although saving was slow', async () => {
  const store = faultyStore()
  const gate = deferred()
  const isStart = (): boolean => store.appends.at(-1)?.entries.some(({ type }) => type === 'tool-started') === true
  store.break('append', (go) => (isStart() ? waitFor(gate.promise)(go) : go()))
  const world = effects()
  const { session } = openPage(answer, { store, tools: world.tools, toolExecution: 'sequential' })
  session.send('Settle').catch(() => {})
  await until(session, ({ calls }) => [...calls.values()].some(({ result }) => result !== undefined))
  const leaving = session.close({ running: 'leave' })
  gate.resolve()
  await leaving
  const second = openPage(answer, { store: store.disk, tools: world.tools })
  await untilIdle(second.session)
  expect(settled(second.session.getEntries())).toEqual(['look ok', 'book ok', 'pay ok'])
  expect([world.look.runs.length, world.pay.runs.length]).toEqual([1, 1])
})
