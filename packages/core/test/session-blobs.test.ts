import {
  blobOf,
  importSession,
  MemoryStore,
  type ModelRequest,
  openSession,
  resultText,
  type Session,
  type ToolResult,
  tool,
  type UserPart,
} from '@turnloop/core'
import { assertHistory } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { type FaultyStore, faultyStore, hang, refuse } from './faulty-store.ts'
import { openPage, type PageOptions, until, untilIdle } from './session-setup.ts'

/** 75,000 bytes, and the first of them say which. */
const picture = (mark: string): string => btoa(`${mark}${'\u00ff'.repeat(75_000)}`)
const photo: UserPart[] = [
  { type: 'text', text: 'What is this?' },
  { type: 'file', mediaType: 'image/png', filename: 'photo.png', data: { base64: picture('photo') } },
]
const page = 'A long line of a page. '.repeat(4000)

const look = tool({
  name: 'look',
  description: 'Looks',
  effect: 'read',
  execute: () => ({
    content: [
      { type: 'text', text: page },
      { type: 'image', data: picture('shot'), mimeType: 'image/png' },
    ],
  }),
})

const script = ({ messages }: ModelRequest) => {
  const last = messages.at(-1)
  if (last?.role === 'tool') return 'I looked.'
  return JSON.stringify(last).includes('look') ? { calls: [{ name: 'look', input: {} }] } : 'A photo.'
}

const open = (store: FaultyStore | MemoryStore, options: PageOptions = {}) =>
  openPage(script, { store, tools: [look], maxResultBytes: 1_000_000, ...options })

/** What is stored of session `s`, as text. */
const storedText = async (store: MemoryStore): Promise<string> =>
  JSON.stringify([await store.read('s'), await store.head('s'), await store.open('s')])

const resultIn = (session: Session): ToolResult['result'] | undefined =>
  session.getSnapshot().messages.flatMap((message) => (message.role === 'tool' ? message.results : []))[0]?.result

describe('what is large', () => {
  test('is stored apart from the log, once, and the log names it', async () => {
    const store = faultyStore()
    const { session } = open(store)
    await session.send(photo)
    await session.send(photo)
    await session.flush()
    const stored = await storedText(store.disk)
    expect(stored.length).toBeLessThan(10_000)
    const hashes = new Set([...stored.matchAll(/"blob":"([0-9a-f]{64})","byteLength":75005/g)].map(([, hash]) => hash))
    expect(hashes.size).toBe(1)
    expect((await store.disk.blobs?.get([...hashes][0] ?? ''))?.byteLength).toBe(75_005)
  })

  test('of a tool result too: texts keep their beginning', async () => {
    const store = new MemoryStore()
    const { session, agent } = open(store)
    await session.send('look')
    await session.close()
    expect((await storedText(store)).length).toBeLessThan(10_000)
    const again = openSession({ agent, store, id: 's' })
    await again.checkpoints()
    const [text, image] = resultIn(again)?.content ?? []
    expect(text?.type === 'text' && text.text).toBe(page.slice(0, 1000))
    expect([text, image].map((block) => block && blobOf(block)?.byteLength)).toEqual([page.length, 75_004])
  })

  test('is whole again for the model after a reload, as the same objects in each request', async () => {
    const store = new MemoryStore()
    const { session } = open(store)
    await session.send(photo)
    await session.send('look')
    await session.close()
    const { session: again, model } = open(store)
    await again.send('And?')
    await again.send('And then?')
    const [first, second] = model.requests.map(({ messages }) => messages)
    expect(first?.slice(0, 5)).toEqual(session.getSnapshot().messages.slice(0, 5))
    expect(first?.[0]).toBe(second?.[0])
    expect(model.violations).toEqual([])
  })

  test('is whole for a turn that goes on after a reload', async () => {
    const store = faultyStore()
    const stuck = (request: ModelRequest) =>
      request.messages.at(-1)?.role === 'tool' ? { text: 'Never.', gate: new Promise<void>(() => {}) } : script(request)
    const first = openPage(stuck, { store, tools: [look], maxResultBytes: 1_000_000 })
    first.session.send([{ type: 'text', text: 'look' }, ...photo]).catch(() => {})
    await until(first.session, ({ messages }) => messages.at(-1)?.role === 'tool')
    await first.session.flush()
    await first.session.close({ running: 'leave' })
    const { session, model } = open(store.disk)
    await untilIdle(session)
    const asked = JSON.stringify(model.requests.at(-1)?.messages)
    expect([picture('photo'), picture('shot'), page].map((value) => asked.includes(value))).toEqual([true, true, true])
    assertHistory(session.getSnapshot().messages)
  })

  test('waits in the stored queue by its name, and is asked whole', async () => {
    const store = new MemoryStore()
    const { session } = openPage([{ text: 'Never.', gate: new Promise(() => {}) }], { store })
    session.send('first').catch(() => {})
    session.send(photo).catch(() => {})
    await until(session, ({ queue, activity }) => queue.length === 1 && activity?.kind === 'model')
    await session.flush()
    expect((await storedText(store)).length).toBeLessThan(10_000)
    await session.close({ running: 'leave' })
    const { session: again, model } = open(store)
    await until(again, ({ queue, status }) => queue.length === 0 && status === 'idle')
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(picture('photo'))
  })

  test('is there before the entry that names it, at every append', async () => {
    const store = faultyStore()
    const missing: string[] = []
    store.break('append', async (go) => {
      const named = JSON.stringify(store.appends.at(-1)).matchAll(/"blob":"([0-9a-f]{64})"/g)
      for (const [, hash = ''] of named) if ((await store.disk.blobs?.get(hash)) === undefined) missing.push(hash)
      return go()
    })
    const { session } = open(store)
    await session.send(photo)
    await session.send('look')
    await session.flush()
    expect([missing, store.calls.put]).toEqual([[], 3])
  })
})

test('a list, a load and a save read no large value', async () => {
  const store = faultyStore()
  const { session, agent } = open(store)
  await session.send(photo)
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.rename('Photo')
  await store.list()
  expect(store.calls.get).toBe(0)
})

test('what the browser has deleted is told to the model in words', async () => {
  const store = faultyStore()
  await open(store).session.send(photo)
  await open(store).session.send('look')
  store.break('get', async () => undefined as never)
  const { session, model } = open(store)
  const { outcome } = await session.send('And?')
  const asked = JSON.stringify(model.requests.at(-1)?.messages)
  expect(outcome.kind).toBe('completed')
  expect(asked).toContain('[A file (photo.png, image/png, 75005 bytes) is no longer stored in this browser.]')
  expect(asked).toContain('[The rest of this text (92000 bytes) is no longer stored in this browser.]')
  expect(model.violations).toEqual([])
})

test.each([
  ['fails', refuse('disconnected')],
  ['hangs', hang],
])('a read that %s keeps no turn from ending', async (_name, behaviour) => {
  const store = faultyStore()
  await open(store).session.send(photo)
  store.break('get', behaviour)
  const { session, clock } = open(store)
  const sent = session.send('And?')
  await clock.advance(6000)
  expect((await sent).outcome.kind).toBe('completed')
})

test('Stop ends a turn that waits for a large value', async () => {
  const store = faultyStore()
  await open(store).session.send(photo)
  store.break('get', hang)
  const { session, model } = open(store)
  const sent = session.send('And?')
  await until(session, ({ status }) => status === 'running')
  await session.cancel()
  expect([(await sent).outcome.kind, model.requests.length]).toEqual(['cancelled', 0])
})

test('a large value that cannot be stored waits like everything else', async () => {
  const store = faultyStore()
  store.break('put', refuse('quota-exceeded'))
  const { session, clock } = open(store)
  expect((await session.send(photo)).outcome.kind).toBe('completed')
  expect(session.getSnapshot().storage).toMatchObject({ state: 'full', reason: 'quota-exceeded' })
  store.mend()
  await clock.advance(60_000)
  expect(session.getSnapshot().storage).toMatchObject({ state: 'ready', waiting: 0 })
  expect((await storedText(store.disk)).length).toBeLessThan(10_000)
})

test('a store without blobs keeps everything in the log', async () => {
  const store = new MemoryStore()
  Object.defineProperty(store, 'blobs', { value: undefined })
  const { session, agent } = open(store)
  await session.send(photo)
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.checkpoints()
  expect(again.getSnapshot().messages).toEqual(session.getSnapshot().messages)
  expect(await again.readBlob('none')).toBeUndefined()
})

test('readBlob gives the bytes that a shown file stands for', async () => {
  const store = new MemoryStore()
  const { session, agent } = open(store)
  await session.send(photo)
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  await again.checkpoints()
  const [asked] = again.getSnapshot().messages
  const file = asked?.role === 'user' ? asked.content[1] : undefined
  const hash = file?.type === 'file' && 'blob' in file.data ? file.data.blob : ''
  expect(new TextDecoder().decode((await again.readBlob(hash))?.slice(0, 5))).toBe('photo')
})

test('a file holds the bytes, and an import stores them apart', async () => {
  const store = new MemoryStore()
  const { session, agent } = open(store)
  await session.send(photo)
  await session.close()
  const again = openSession({ agent, store, id: 's' })
  const file = await again.export()
  expect(JSON.stringify(file)).toContain(picture('photo'))
  const other = new MemoryStore()
  await importSession(file, { store: other, id: 's' })
  expect((await storedText(other)).length).toBeLessThan(10_000)
  const { session: there, model } = open(other)
  await there.send('And?')
  expect(JSON.stringify(model.requests[0]?.messages)).toContain(picture('photo'))
})

test('a fork keeps the bytes when the session it came from is removed', async () => {
  const store = new MemoryStore()
  await open(store).session.send(photo)
  const { session } = open(store)
  const [, , end] = await session.checkpoints()
  if (end === undefined) throw new Error('no end')
  const fork = await session.fork(end)
  await session.close()
  await store.remove('s')
  const result = await fork.send('And?')
  expect(JSON.stringify(result.messages[0])).toContain(picture('photo'))
  expect(
    result.messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map(({ result: r }) => resultText(r)) : [],
    ),
  ).toEqual([])
})
