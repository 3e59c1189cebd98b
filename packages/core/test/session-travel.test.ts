import {
  createAgent,
  importSession,
  MemoryStore,
  openSession,
  replay,
  type Session,
  type Snapshot,
  tool,
} from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { echo, say } from './loop-setup.ts'
import { shown } from './session-setup.ts'

const counting = tool({
  name: 'count',
  description: 'Counts',
  effect: 'read',
  execute: (_input, context) => {
    context.state = { ...context.state, n: Number(context.state.n ?? 0) + 1 }
    return `${context.state.n}`
  },
})

/** A session of two turns, with a tool and a state that counts its calls. */
async function twoTurns(store = new MemoryStore()) {
  const call = { calls: [{ name: 'count', input: {} }] }
  const model = scriptedModel([call, 'One.', call, 'Two.', 'Three.', 'Four.'])
  const agent = createAgent({ model, tools: [counting, echo] })
  const session = openSession({ agent, store, id: 's' })
  await session.send('First')
  await session.send('Second')
  return { session, store, agent, model }
}

const at = async (session: Session, index: number) => {
  const all = await session.checkpoints()
  const found = all.at(index)
  if (found === undefined) throw new Error('no such checkpoint')
  return found
}

test('checkpoints name the start, each reply, each batch and each end', async () => {
  const { session } = await twoTurns()
  const positions = (await session.checkpoints()).map(({ position }) => position)
  expect(positions).toEqual(['start', 'reply', 'batch', 'reply', 'end', 'reply', 'batch', 'reply', 'end'])
})

test('a rewind takes messages and state back, and the log keeps them', async () => {
  const { session } = await twoTurns()
  expect(session.getSnapshot().state).toEqual({ n: 2 })
  await session.rewind(await at(session, 4))
  expect(shown(session)).toEqual(['user: First', 'assistant: ', 'tool: ok', 'assistant: One.'])
  expect(session.getSnapshot().state).toEqual({ n: 1 })
  expect(session.getEntries().filter(({ type }) => type === 'message')).toHaveLength(8)
})

test('what comes after a rewind builds on what is left', async () => {
  const { session, store, model } = await twoTurns()
  await session.rewind(await at(session, 4))
  await session.send('Third')
  expect(model.requests.at(-1)?.messages.flatMap(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant'],
    'user',
  ])
  await session.close()
  const again = openSession({ agent: createAgent({ model: scriptedModel([]) }), store, id: 's' })
  await again.checkpoints()
  expect(shown(again).at(-1)).toBe('assistant: Three.')
  expect(again.getSnapshot().state).toEqual({ n: 1 })
})

test('a rewind to the start empties the conversation', async () => {
  const { session } = await twoTurns()
  await session.rewind(await at(session, 0))
  expect(session.getSnapshot().messages).toEqual([])
  expect(session.getSnapshot().state).toEqual({})
})

test('what a rewind has left behind can be branched from', async () => {
  const { session } = await twoTurns()
  const last = await at(session, -1)
  await session.rewind(await at(session, 4))
  const branch = await session.fork(last)
  await branch.checkpoints()
  expect(shown(branch).at(-1)).toBe('assistant: Two.')
})

test('going to what a rewind has left behind takes the rewind back', async () => {
  const { session } = await twoTurns()
  const before = session.getSnapshot()
  const last = await at(session, -1)
  await session.rewind(await at(session, 4))
  await session.send('Third')
  const other = await at(session, -1)

  await session.rewind(last)
  expect(session.getSnapshot().messages).toEqual(before.messages)
  expect(session.getSnapshot().state).toEqual({ n: 2 })
  expect((await session.checkpoints()).filter(({ isLeftBehind }) => isLeftBehind).at(-1)).toEqual({
    ...other,
    isLeftBehind: true,
  })
  expect((await session.checkpoints()).find(({ sequence }) => sequence === last.sequence)?.isLeftBehind).toBe(false)

  await session.rewind(other)
  expect(shown(session).slice(-2)).toEqual(['user: Third', 'assistant: Three.'])
})

test('what comes after a rewind was taken back survives a reload', async () => {
  const { session, store, agent } = await twoTurns()
  const last = await at(session, -1)
  await session.rewind(await at(session, 4))
  await session.rewind(last)
  await session.send('Third')
  const before = shown(session)
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.checkpoints()
  expect(shown(again)).toEqual(before)
})

test('a checkpoint that never was is refused', async () => {
  const { session } = await twoTurns()
  const made = { ...(await at(session, 1)), sequence: 999 }
  await expect(session.rewind(made)).rejects.toMatchObject({ code: 'bad-input' })
  await expect(session.fork(made)).rejects.toMatchObject({ code: 'bad-input' })
})

test('a rewind stops the running turn first', async () => {
  const { session } = await twoTurns()
  const checkpoint = await at(session, 4)
  const sent = session.send('Third')
  await session.rewind(checkpoint)
  expect((await sent).outcome.kind).toBe('cancelled')
  expect(shown(session).at(-1)).toBe('assistant: One.')
  expect(session.getSnapshot().status).toBe('idle')
})

test('a fork is a session of its own, and both go on apart', async () => {
  const { session, store } = await twoTurns()
  const branch = await session.fork(await at(session, 4))
  await branch.send('Elsewhere')
  await session.send('Here')
  expect(shown(branch).slice(3)).toEqual(['assistant: One.', 'user: Elsewhere', 'assistant: Three.'])
  expect(shown(session).slice(7)).toEqual(['assistant: Two.', 'user: Here', 'assistant: Four.'])
  const heads = await store.list()
  expect(heads.map(({ id }) => id).toSorted()).toEqual([branch.id, 's'].toSorted())
  expect(branch.getEntries().find(({ type }) => type === 'session-changed')).toMatchObject({
    forkedFrom: { sessionId: 's' },
  })
})

test('a fork in the middle of a turn waits to be resumed, and runs no tool that has run', async () => {
  const { session } = await twoTurns()
  const branch = await session.fork(await at(session, 2))
  await branch.checkpoints()
  expect(branch.getSnapshot().resumable).toBe(true)
  expect((await branch.resume()).text).toBe('Three.')
  expect(branch.getSnapshot().state).toEqual({ n: 1 })
})

test('an exported session comes back as it was', async () => {
  const { session, agent } = await twoTurns()
  const file = JSON.parse(JSON.stringify(await session.export()))
  const store = new MemoryStore()
  const copy = openSession({ agent, store, id: await importSession(file, { store }) })
  await copy.checkpoints()
  expect(copy.getSnapshot().messages).toEqual(session.getSnapshot().messages)
  expect(copy.getSnapshot().state).toEqual(session.getSnapshot().state)
})

test('a file that is none is refused, and stores nothing', async () => {
  const store = new MemoryStore()
  const { session } = await twoTurns()
  const file = await session.export()
  const broken = [{}, { ...file, version: 2 }, { ...file, entries: file.entries.slice(1) }, null]
  for (const one of broken)
    await expect(importSession(one as never, { store })).rejects.toMatchObject({ code: 'bad-input' })
  expect(await store.list()).toEqual([])
})

test('a redacted export holds nothing that was said', async () => {
  const agent = createAgent({ model: scriptedModel([{ calls: [say('secretive')] }, 'Confidential.']), tools: [echo] })
  const session = openSession({ agent })
  await session.send('Classified')
  await session.rename('Hush')
  const text = JSON.stringify(await session.export({ redact: true }))
  for (const said of ['Classified', 'secretive', 'Confidential', 'Hush']) expect(text).not.toContain(said)
  expect(text).toContain('xxxxxxxxxx')
  expect(text).toContain('"toolName":"echo"')
})

test('a replay shows the snapshot after each entry', async () => {
  const { session } = await twoTurns()
  const snapshots: Snapshot[] = []
  for await (const snapshot of replay(await session.export())) snapshots.push(snapshot)
  expect(snapshots).toHaveLength(session.getEntries().length)
  expect(snapshots.at(-1)?.messages).toEqual(session.getSnapshot().messages)
  expect(snapshots[0]?.status).toBe('running')
})
