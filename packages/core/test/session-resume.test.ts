import { resultText, type ToolSource, type TurnEvent } from '@turnloop/core'
import { assertHistory, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { after, answer, cutDisk, openCut, settled, whole } from './cut-setup.ts'
import { collect, outline, steps } from './loop-setup.ts'
import { kinds, logFaults, openPage, until, untilIdle, watchStatus } from './session-setup.ts'

const cuts = whole.map((entry, index) => ({ length: index + 1, type: entry.type })).slice(1, -1)
const wasStarted = (length: number): boolean =>
  whole.slice(0, length).some((entry) => entry.type === 'tool-started' && entry.toolName === 'pay')
const wasSettled = (length: number): boolean =>
  whole.slice(0, length).some((entry) => entry.type === 'tool-settled' && entry.toolName === 'pay')

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
  const seen = watchStatus(session)
  const turn = session.send('Thanks')
  await clock.advance(500)
  const stopping = session.cancel()
  await clock.advance(2000)
  await stopping
  expect(seen).toEqual(['idle', 'running', 'cancelling', 'idle'])
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

test('resuming leaves the list of what waits the same object', async () => {
  const { session } = openCut(await cutDisk(after('checkpoint'), ['one']), { resume: 'manual' })
  const { queue } = await untilIdle(session)
  session.resume().catch(() => {})
  expect((await until(session, ({ status }) => status === 'running')).queue).toBe(queue)
  await until(session, ({ status, queue: left }) => status === 'idle' && left.length === 0)
})
