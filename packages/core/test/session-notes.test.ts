import { autoCompaction, importSession, MemoryStore, type ModelRequest, messageText, openSession } from '@turnloop/core'
import { checkHistory, deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { isSummaryRequest } from './compacted-setup.ts'
import { counter } from './loop-setup.ts'
import { openGated, openPage, repeat, shown, until, untilAsked } from './session-setup.ts'
import { openTabs, pageOf } from './tabs-setup.ts'

const NOTE = 'user: Now with the large model.'

test('a note stands in its place in the transcript, with its data', async () => {
  const { session } = openPage(repeat)
  await session.send('One')
  const id = await session.addNote('Now with the large model.', { data: { kind: 'switch' } })
  await session.send('Two')
  expect(shown(session)).toEqual(['user: One', 'assistant: You said One', NOTE, 'user: Two', 'assistant: You said Two'])
  const note = session.getSnapshot().messages[2]
  expect(note).toMatchObject({ id, role: 'user', synthetic: 'note', data: { kind: 'switch' } })
})

test('no request holds a note, nor does a result', async () => {
  const { session, model } = openPage(repeat)
  await session.addNote('Now with the large model.')
  const result = await session.send('One')
  expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(['user'])
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
})

test('a note that comes while a turn runs is shown at once', async () => {
  const { session, gate } = openGated()
  const sent = session.send('One')
  await untilAsked(session)
  await session.addNote('Now with the large model.')
  expect(shown(session)).toEqual(['user: One', NOTE])
  gate.resolve()
  await sent
  expect(shown(session)).toEqual(['user: One', NOTE, 'assistant: First.'])
})

test('a note between a call and its result leaves the pair whole', async () => {
  const gate = deferred()
  const slow = counter('slow')
  const tools = [{ ...slow.tool, execute: () => gate.promise }]
  const script = ({ messages }: ModelRequest) =>
    messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'slow', input: {} }] }
  const { session, model } = openPage(script, { tools })
  const sent = session.send('Go')
  await until(session, ({ activity }) => activity?.kind === 'tools')
  const answered = until(session, ({ turn }) => turn?.iteration === 1)
  await session.addNote('Now with the large model.')
  gate.resolve()
  await sent
  await answered
  expect(model.violations).toEqual([])
  expect(checkHistory(session.getSnapshot().messages).problems).toEqual([])
})

test('a reload shows a note where it was', async () => {
  const store = new MemoryStore()
  const { session, agent } = openPage(repeat, { store })
  await session.addNote('Now with the large model.')
  await session.send('One')
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.checkpoints()
  expect(shown(again)).toEqual([NOTE, 'user: One', 'assistant: You said One'])
  expect((await store.list())[0]?.title).toBe('One')
})

test('a rewind takes out the notes that came after', async () => {
  const { session } = openPage(repeat)
  await session.addNote('Now with the large model.')
  await session.send('One')
  await session.addNote('Gone.')
  const [, , end] = await session.checkpoints()
  if (end !== undefined) await session.rewind(end)
  expect(shown(session)).toEqual([NOTE, 'user: One', 'assistant: You said One'])
})

test('a compaction neither reads a note nor hides it', async () => {
  const filler = 'words and words '.repeat(60)
  const { session, model } = openPage(
    (request, index) => (isSummaryRequest(request) ? 'Goals: help.' : `Reply ${index} ${filler}`),
    { compaction: autoCompaction({ window: 100_000 }) },
  )
  for (const turn of [0, 1, 2, 3, 4, 5]) {
    await session.send(`Question ${turn}`)
    if (turn === 1) await session.addNote('Now with the large model.')
  }
  const { hidden } = await session.compact()
  expect(hidden).toBeGreaterThan(4)
  expect(JSON.stringify(model.requests)).not.toContain('large model')
  const { messages } = session.getSnapshot()
  expect(messages.slice(0, 2).map((message) => message.role === 'user' && message.synthetic)).toEqual([
    'summary',
    'note',
  ])
})

test('a fork, a file and its import keep a note', async () => {
  const store = new MemoryStore()
  const { session, agent } = openPage(repeat, { store })
  await session.send('One')
  await session.addNote('Now with the large model.')
  const file = await session.export()
  const id = await importSession(file, { store })
  const again = openSession({ agent, store, id })
  await again.checkpoints()
  expect(shown(again).at(-1)).toBe(NOTE)
  expect(JSON.stringify(await session.export({ redact: true }))).not.toContain('large')
})

test('a note of a follower goes through the driver, once', async () => {
  const { pages } = await openTabs([repeat, repeat])
  const [first, second] = [pageOf(pages, 0), pageOf(pages, 1)]
  await first.session.send('One')
  await second.session.addNote('Now with the large model.')
  await first.session.send('Two')
  for (const { session } of [first, second]) {
    const { messages } = session.getSnapshot()
    expect(messages.map((message) => (message.role === 'tool' ? '' : messageText(message)))[2]).toBe(NOTE.slice(6))
    expect(messages).toHaveLength(5)
  }
})

test('an empty note and one whose data is no JSON are refused', async () => {
  const { session } = openPage(repeat)
  await expect(session.addNote(' ')).rejects.toMatchObject({ code: 'bad-input' })
  // Not a value that the type allows.
  const data = (() => {}) as unknown as string
  await expect(session.addNote('x', { data })).rejects.toMatchObject({ message: expect.stringContaining('data') })
  expect(session.getEntries()).toEqual([])
})

test('an agent asked with a whole transcript leaves its notes out', async () => {
  const { session, agent, model } = openPage(repeat)
  await session.send('One')
  await session.addNote('Now with the large model.')
  const { messages } = session.getSnapshot()
  await agent
    .turn([...messages, { id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Two' }] }])
    .untilDone()
  expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})
