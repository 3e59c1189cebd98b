import { MemoryStore } from '@turnloop/core'
import type { ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { obedientTool, outline } from './loop-setup.ts'
import { logFaults, openGated, openPage, repeat, shown, untilAsked, untilIdle } from './session-setup.ts'

test('an agent without history shows its turns and sends none of them again', async () => {
  const { session, model } = openPage(repeat, { history: false })
  await session.send('one')
  await session.send('two')
  expect(model.requests.map(({ messages }) => outline(messages))).toEqual([['user: one'], ['user: two']])
  expect(shown(session)).toHaveLength(4)
})

test('a turn without history stays out of a later one with it', async () => {
  const { session, model, agent } = openPage(repeat)
  await session.send('one')
  session.setAgent(agent.with({ history: false }))
  await session.send('two')
  session.setAgent(agent)
  await session.send('three')
  expect(outline(model.requests[2]?.messages ?? [])).toEqual(['user: one', 'assistant: You said one', 'user: three'])
})

test('a retry after a cut reply asks again without it, and shows both', async () => {
  const { session, model } = openPage([{ text: 'Half', cut: true }, 'Whole.'])
  await session.send('one')
  const result = await session.retry()
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Whole.'])
  expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: one'])
  expect(shown(session)).toEqual(['user: one', 'assistant: Half', 'assistant: Whole.'])
})

test.each<[string, ScriptStep]>([
  ['a whole reply', 'Done.'],
  ['a refusal', { text: 'No.', stopReason: 'safety' }],
  ['a reply with nothing but a promise', { text: 'I will.', stopReason: 'toolUse' }],
  ['an empty reply', { text: '' }],
])('a retry after %s sends a request that has a question', async (_name, step) => {
  const { session, model } = openPage(() => step)
  await session.send('one')
  await session.retry()
  expect(model.violations).toEqual([])
})

test('a retry after the cap goes on from the results', async () => {
  const wait = obedientTool('wait')
  const { session, model } = openPage([{ calls: [{ name: 'nobody' }] }, 'Now.'], {
    maxIterations: 0,
    tools: [wait.tool],
  })
  expect((await session.send('one')).outcome.kind).toBe('max-iterations')
  expect((await session.retry()).text).toBe('Now.')
  expect(model.requests[1]?.messages.at(-1)?.role).toBe('tool')
})

test('a retry where nothing was asked is refused', async () => {
  const { session } = openPage([])
  await expect(session.retry()).rejects.toMatchObject({ code: 'bad-input' })
  expect([session.getEntries(), session.getSnapshot().status]).toEqual([[], 'idle'])
})

test('a name stays, also over a reload and beside a running turn', async () => {
  const disk = new MemoryStore()
  const { session, gate } = openGated({ store: disk })
  const turn = session.send('one')
  await Promise.all([session.rename('First name'), session.rename('Name')])
  gate.resolve()
  await turn
  await session.close()
  const again = openPage([], { store: disk })
  expect((await untilIdle(again.session)).title).toBe('Name')
  expect([(await disk.list())[0]?.title, logFaults(await disk.read('s'))]).toEqual(['Name', []])
})

test('renaming while a turn catches up keeps the log in order', async () => {
  const disk = new MemoryStore()
  const other = openPage(repeat, { store: disk })
  const { session } = openPage(repeat, { store: disk })
  await untilIdle(session)
  await other.session.send('there')
  const [result] = await Promise.all([session.send('here'), session.rename('Name'), session.rename('Other')])
  expect([result.outcome.kind, session.getSnapshot().title]).toEqual(['completed', 'Other'])
  expect([logFaults(session.getEntries()), await disk.read('s')]).toEqual([[], session.getEntries()])
})

test('a retry without history has nothing to ask and says so', async () => {
  const { session } = openPage(repeat, { history: false })
  await session.send('one')
  await expect(session.retry()).rejects.toMatchObject({ code: 'bad-input' })
  expect(session.getSnapshot().status).toBe('idle')
})

test('a retry after a pause goes on from where the provider paused', async () => {
  const { session, model } = openPage((_request, index) =>
    index < 9 ? { text: 'More', stopReason: 'pause' } : 'Done.',
  )
  await session.send('one')
  expect((await session.retry()).text).toBe('Done.')
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'pause' })
})

test('a retry that was cut goes on without the reply that it is to replace', async () => {
  const store = new MemoryStore()
  const cut = openPage(repeat, {
    store,
    beforeEvent: (_event, { request }) => (request === 1 ? new Promise(() => {}) : undefined),
  })
  await cut.session.send('one')
  cut.session.retry().catch(() => {})
  await untilAsked(cut.session)
  await cut.session.flush()
  cut.session.close({ running: 'leave' }).catch(() => {})
  const { session, model } = openPage(['Again.'], { store })
  await untilIdle(session)
  expect(model.requests.map(({ messages }) => outline(messages))).toEqual([['user: one']])
  expect(shown(session)).toEqual(['user: one', 'assistant: You said one', 'assistant: Again.'])
})

test('a retry read back from the log has the transcript that it had', async () => {
  const store = new MemoryStore()
  const page = openPage(repeat, { store })
  await page.session.send('one')
  const { turnId, messages } = await page.session.retry()
  await page.session.close()
  const { session } = openPage([], { store })
  expect((await session.send('one', { turnId })).messages).toEqual(messages)
})
