import { type Entry, MemoryStore, resultText, type ToolSource, type TurnEvent } from '@turnloop/core'
import { assertHistory, deafTool, deferred, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { FaultyStore, hang } from './faulty-store.ts'
import { collect, outline, steps } from './loop-setup.ts'
import {
  effectTool,
  kinds,
  logFaults,
  openPage,
  type Page,
  type PageOptions,
  shown,
  until,
  untilIdle,
  waiting,
  watchStatus,
} from './session-setup.ts'

const TOOLS: ScriptStep = { text: 'First.', calls: [{ name: 'look' }, { name: 'book' }, { name: 'pay' }] }

/** The three tools, whose effects outlive every page. */
function effects() {
  const [look, book, pay] = [effectTool('look', 'read'), effectTool('book', 'idempotent'), effectTool('pay', 'unsafe')]
  return { look, book, pay, tools: [look.tool, book.tool, pay.tool] }
}

/** Answers as the conversation stands, on whatever page. */
function answer({ messages }: { messages: readonly { role: string; content?: unknown }[] }): ScriptStep {
  const last = messages.at(-1)
  if (last?.role === 'tool') return 'Settled.'
  return JSON.stringify(last?.content).includes('Settle') ? TOOLS : 'Fine.'
}

const whole: readonly Entry[] = await (async () => {
  const { session } = openPage(answer, { tools: effects().tools, toolExecution: 'sequential' })
  await session.send('Settle', { turnId: 'cut' })
  return session.getEntries()
})()

/** A disk on which the first entries of that turn were saved and then the page died. */
async function cutDisk(length: number, queue: readonly string[] = []): Promise<MemoryStore> {
  const disk = new MemoryStore()
  const waitingInputs = queue.map((text, index) => ({
    ...{ id: `i${index}`, turnId: `t${index}`, createdAt: 0 },
    content: [{ type: 'text' as const, text }],
  }))
  const head = { id: 's', createdAt: 0, updatedAt: 0, lastSequence: length, turns: 1, state: {}, usage: {} }
  await disk.append('s', whole.slice(0, length), { head: { ...head, queue: waitingInputs } })
  return disk
}

/** How long the log is when an entry of this kind, for this tool, has just been written. */
function after(type: Entry['type'], toolName?: string): number {
  const at = whole.findIndex((entry) => entry.type === type && (!toolName || JSON.stringify(entry).includes(toolName)))
  return at + 1
}

function openCut(disk: MemoryStore, options: PageOptions = {}): Page & { effects: ReturnType<typeof effects> } {
  const world = effects()
  return { ...openPage(answer, { store: disk, tools: world.tools, ...options }), effects: world }
}

/** The statuses of a log's calls. */
function settled(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}`] : []))
}

const cuts = whole.map((entry, index) => ({ length: index + 1, type: entry.type })).slice(1, -1)
const wasStarted = (length: number): boolean =>
  whole.slice(0, length).some((entry) => entry.type === 'tool-started' && entry.toolName === 'pay')
const wasSettled = (length: number): boolean =>
  whole.slice(0, length).some((entry) => entry.type === 'tool-settled' && entry.toolName === 'pay')

// --- going on, from every position ---------------------------------------------------------------------------------------

test.each(cuts)('a turn cut after entry $length ($type) goes on by itself', async ({ length }) => {
  const { session, model, effects: ran } = openCut(await cutDisk(length))
  const seen = watchStatus(session)
  await untilIdle(session)
  const { outcome, resumable, messages } = session.getSnapshot()
  expect([outcome?.kind, resumable, outline(messages).at(-1)]).toEqual(['completed', undefined, 'assistant: Settled.'])
  expect(seen).toEqual(['loading', 'running', 'idle'])
  expect(ran.pay.runs.length).toBe(wasStarted(length) ? 0 : 1)
  const isInDoubt = wasStarted(length) && !wasSettled(length)
  expect(settled(session.getEntries())).toEqual(['look ok', 'book ok', isInDoubt ? 'pay unknown' : 'pay ok'])
  expect([logFaults(session.getEntries()), model.violations]).toEqual([[], []])
})

test.each(cuts)('a turn cut after entry $length ($type) waits where that was asked for', async ({ length }) => {
  const { session, model, effects: ran } = openCut(await cutDisk(length), { resume: 'manual' })
  const snapshot = await untilIdle(session)
  expect([snapshot.resumable, snapshot.activity, model.requests.length]).toEqual([true, undefined, 0])
  expect(watchStatus(session)).toEqual(['idle'])
  const result = await session.resume()
  expect([result.outcome.kind, result.text, result.turnId]).toEqual(['completed', 'Settled.', 'cut'])
  expect([session.getSnapshot().resumable, ran.pay.runs.length]).toEqual([undefined, wasStarted(length) ? 0 : 1])
})

test.each(cuts)('an input closes a turn cut after entry $length ($type) truthfully', async ({ length }) => {
  const disk = await cutDisk(length)
  const { session, model, effects: ran } = openCut(disk, { resume: 'manual' })
  await untilIdle(session)
  const seen = watchStatus(session)
  const result = await session.send('Thanks')
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Fine.'])
  expect(seen).toEqual(['idle', 'running', 'idle'])
  const interrupted = session.getEntries().find((entry) => entry.type === 'turn-ended')
  expect(interrupted).toMatchObject({ turnId: 'cut', outcome: { kind: 'interrupted' } })
  expect([ran.look.runs.length, ran.book.runs.length, ran.pay.runs.length]).toEqual([0, 0, 0])
  expect(model.requests).toHaveLength(1)
  assertHistory(result.messages)
  await session.flush()
  expect(logFaults(await disk.read('s'))).toEqual([])
})

test.each([
  ['look', ['look unknown', 'book not-run', 'pay not-run']],
  ['book', ['look ok', 'book unknown', 'pay not-run']],
  ['pay', ['look ok', 'book ok', 'pay unknown']],
] as const)('closed while %s ran, each call says what is known of it', async (toolName, statuses) => {
  const { session } = openCut(await cutDisk(after('tool-started', toolName)), { resume: 'manual' })
  await session.send('Thanks')
  expect(settled(session.getEntries())).toEqual(statuses)
})

test('calls of a closed turn say that the page went away', async () => {
  const { session, model } = openCut(await cutDisk(after('tool-started', 'book')), { resume: 'manual' })
  await session.send('Thanks')
  const answers = model.requests[0]?.messages.find((message) => message.role === 'tool')?.results ?? []
  expect(answers.slice(1).map(({ result }) => resultText(result))).toEqual([
    expect.stringContaining('The page went away'),
    expect.stringContaining('was interrupted before this call started'),
  ])
})

test('a tool list that never comes keeps no cut turn open', async () => {
  const source: ToolSource = { list: () => new Promise(() => {}) }
  const disk = await cutDisk(after('checkpoint'))
  const { session, clock } = openPage(answer, { store: disk, tools: [source], resume: 'manual' })
  await untilIdle(session)
  const turn = session.send('Thanks')
  await clock.advance(2000)
  const stopping = session.cancel()
  await clock.advance(2000)
  await stopping
  expect((await turn).outcome.kind).toBe('cancelled')
  expect(settled(session.getEntries())).toEqual(['look not-run', 'book not-run', 'pay not-run'])
})

test('events of a turn that goes on leave out what had happened before', async () => {
  const { session } = openCut(await cutDisk(after('tool-settled', 'look')), { resume: 'manual' })
  await untilIdle(session)
  const reading = collect(session.events())
  await session.resume()
  await session.close()
  const events: readonly TurnEvent[] = await reading
  expect(steps(events).slice(0, 2)).toEqual(['tool-started', 'tool-started'])
  expect(kinds(session.getEntries()).filter((type) => type === 'turn-started')).toHaveLength(1)
})

// --- resume() ------------------------------------------------------------------------------------------------------------

test('resuming twice goes on once and answers both', async () => {
  const { session, model } = openCut(await cutDisk(after('checkpoint')), { resume: 'manual' })
  const [first, second] = await Promise.all([session.resume(), session.resume()])
  expect(first).toBe(second)
  expect(model.requests).toHaveLength(1)
})

test('resuming while the session goes on by itself joins it', async () => {
  const { session, model } = openCut(await cutDisk(after('checkpoint')))
  const seen = watchStatus(session)
  const result = await session.resume()
  expect([result.text, model.requests.length]).toEqual(['Settled.', 1])
  expect(seen).toEqual(['loading', 'running', 'idle'])
})

test('there is nothing to resume in a whole session, nor while a turn runs', async () => {
  const gate = deferred()
  const { session } = openPage([{ text: 'Hello.', gate: gate.promise }])
  await expect(session.resume()).rejects.toMatchObject({ code: 'nothing-to-resume' })
  const turn = session.send('Hi')
  await expect(session.resume()).rejects.toMatchObject({ code: 'nothing-to-resume' })
  gate.resolve()
  await turn
  await expect(session.resume()).rejects.toMatchObject({ code: 'nothing-to-resume' })
  expect(session.getSnapshot().status).toBe('idle')
})

test('a resumed turn can be stopped, and is over then', async () => {
  const { session } = openCut(await cutDisk(after('message')), {
    resume: 'manual',
    beforeEvent: () => void session.cancel().catch(() => {}),
  })
  expect((await session.resume()).outcome.kind).toBe('cancelled')
  await expect(session.resume()).rejects.toMatchObject({ code: 'nothing-to-resume' })
})

test('retrying a cut turn closes it and asks again', async () => {
  const { session, model } = openCut(await cutDisk(after('message')), { resume: 'manual' })
  const result = await session.retry()
  expect([result.text, result.turnId === 'cut']).toEqual(['Settled.', false])
  expect(
    session
      .getEntries()
      .filter(({ type }) => type === 'turn-started')
      .at(-1),
  ).toMatchObject({ retryOf: 'cut' })
  expect(model.violations).toEqual([])
})

// --- the reply that was growing ------------------------------------------------------------------------------------------

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
  const store = new FaultyStore()
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

// --- the queue -----------------------------------------------------------------------------------------------------------

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
  const store = new FaultyStore(await cutDisk(whole.length, ['one', 'two']))
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
  const store = new FaultyStore(disk)
  const { session } = openPage(answer, { store, resume: 'manual' })
  await untilIdle(session)
  session.send('Do not lose me').catch(() => {})
  await until(session, ({ outcome }) => outcome?.kind === 'interrupted')
  const at = store.appends.findIndex(({ entries }) => entries.some(({ type }) => type === 'turn-ended'))
  const queue = store.appends[at]?.options.head?.queue ?? []
  const joined = store.appends[at]?.entries.some((entry) => JSON.stringify(entry).includes('Do not lose me'))
  expect(queue.length === 1 || joined).toBe(true)
})

// --- leaving -------------------------------------------------------------------------------------------------------------

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

test('what had finished when the page left is kept', async () => {
  const disk = new MemoryStore()
  const world = effects()
  const page = openPage(answer, { store: disk, tools: world.tools, toolExecution: 'sequential' })
  page.session.send('Settle').catch(() => {})
  await until(page.session, ({ calls }) =>
    [...calls.values()].some(({ toolName, result }) => toolName === 'pay' && result),
  )
  await page.session.close({ running: 'leave' })
  const second = openPage(answer, { store: disk, tools: world.tools })
  await untilIdle(second.session)
  expect([settled(second.session.getEntries()), world.pay.runs.length]).toEqual([['look ok', 'book ok', 'pay ok'], 1])
})
