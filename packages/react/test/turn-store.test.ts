import { type Agent, MemoryStore, type Session, type SessionHost } from '@turnloop/core'
import { type ManualClock, manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { findTurnStore } from '../src/session-registry.ts'
import { TurnStore } from '../src/turn-store.ts'
import { assistant, type FakeSession, fakeSession, user } from './fake-session.ts'

const LINGER_MS = 30_000
const FRAME_MS = 16

interface Setup {
  turns: TurnStore
  clock: ManualClock
  /** Every session that was opened, in order. */
  opened: FakeSession[]
  agents: string[]
}

function setUp(session?: FakeSession): Setup {
  const clock = manualClock()
  const opened: FakeSession[] = []
  const agents: string[] = []
  const open = (agent: Agent | SessionHost): Session => {
    const next = (opened.length === 0 && session) || fakeSession()
    opened.push(next)
    agents.push('name' in agent ? agent.name : 'a host')
    return next
  }
  return { turns: new TurnStore(agentNamed('one'), open, clock), clock, opened, agents }
}

// Only the name of an agent matters to this store.
const agentNamed = (name: string): Agent => ({ name }) as unknown as Agent
const nothing = (): void => {}

test('reading opens nothing and shows a session that loads', () => {
  const { turns, opened } = setUp()

  const view = turns.getSnapshot()

  expect(view.status).toBe('loading')
  expect(view.session).toBeUndefined()
  expect(view.getEntries()).toEqual([])
  expect(opened).toHaveLength(0)
})

test('the first subscriber opens the session and sees it at once', () => {
  const { turns, opened } = setUp()

  turns.subscribe(nothing)
  turns.subscribe(nothing)

  expect(opened).toHaveLength(1)
  expect(turns.getSnapshot().session).toBe(opened[0])
  expect(turns.getSnapshot().status).toBe('idle')
})

test('a command opens the session that nobody has subscribed to', async () => {
  const { turns, opened } = setUp()

  await turns.getSnapshot().send('hello')

  expect(opened[0]?.asked).toEqual(['send "hello"'])
})

test('cancel and flush open nothing', async () => {
  const { turns, opened } = setUp()

  await turns.getSnapshot().cancel()
  await turns.getSnapshot().flush()

  expect(opened).toHaveLength(0)
})

test('a burst of changes is shown once, at the next frame', async () => {
  const session = fakeSession()
  const { turns, clock } = setUp(session)
  let published = 0
  turns.subscribe(() => {
    published += 1
  })
  const before = turns.getSnapshot()

  for (let index = 0; index < 5000; index += 1) session.grow('x')

  expect(turns.getSnapshot()).toBe(before)
  await clock.advance(FRAME_MS)
  expect(published).toBe(1)
  expect(turns.getSnapshot().messages.at(-1)).toBe(session.getSnapshot().open)
})

test('the end of a turn shows at once, leaving no timer', () => {
  const session = fakeSession()
  const { turns, clock } = setUp(session)
  turns.subscribe(nothing)

  session.grow('half')
  session.change({ status: 'running' })
  session.grow(' done')
  session.finish()
  session.change({ status: 'awaiting' })

  expect(turns.getSnapshot().status).toBe('awaiting')
  expect(turns.getSnapshot().messages).toEqual([assistant('reply-0', 'half done')])
  expect(clock.pending).toBe(0)
})

test('an end that came within a frame is shown too', async () => {
  const session = fakeSession()
  const { turns, clock } = setUp(session)
  turns.subscribe(nothing)

  session.grow('quick')
  session.finish()
  await clock.advance(FRAME_MS)

  expect(turns.getSnapshot().messages).toEqual([assistant('reply-0', 'quick')])
})

test('a notification without a change publishes nothing', async () => {
  const session = fakeSession()
  const { turns, clock } = setUp(session)
  turns.subscribe(nothing)
  const before = turns.getSnapshot()

  session.notify()
  await clock.advance(FRAME_MS)

  expect(turns.getSnapshot()).toBe(before)
})

test('messages keep their identity, the growing one comes last', async () => {
  const closed = [user('u1', 'hi'), assistant('a1', 'hello')]
  const session = fakeSession('a', { status: 'idle', messages: closed })
  const { turns, clock } = setUp(session)
  turns.subscribe(nothing)
  expect(turns.getSnapshot().messages).toBe(closed)

  session.grow('x')
  await clock.advance(FRAME_MS)
  const growing = turns.getSnapshot().messages
  session.change({ title: 'named' })
  await clock.advance(FRAME_MS)

  expect(growing).toEqual([...closed, assistant('reply-2', 'x')])
  expect(growing[0]).toBe(closed[0])
  expect(turns.getSnapshot().title).toBe('named')
  expect(turns.getSnapshot().messages).toBe(growing)
})

test('commands stay the same functions from the first read on', async () => {
  const { turns, clock, opened } = setUp()
  const before = turns.getSnapshot()
  const stop = turns.subscribe(nothing)
  opened[0]?.grow('x')
  await clock.advance(FRAME_MS)

  const after = turns.getSnapshot()
  stop()

  for (const name of ['send', 'cancel', 'resume', 'retry', 'rename', 'loadEarlier', 'events', 'getEntries'] as const)
    expect(after[name]).toBe(before[name])
})

test('an idle session is closed some time after its last subscriber left', async () => {
  const { turns, clock, opened } = setUp()
  const stop = turns.subscribe(nothing)
  stop()

  await clock.advance(LINGER_MS - 1)
  expect(opened[0]?.asked).toEqual([])
  await clock.advance(1)

  expect(opened[0]?.asked).toEqual(['close "finish"'])
  expect(opened[0]?.listenerCount).toBe(0)
  expect(turns.getSnapshot()).toBe(turns.getServerSnapshot())
})

test('coming back within a frame shows what has happened meanwhile', () => {
  const session = fakeSession()
  const { turns } = setUp(session)
  turns.subscribe(nothing)()
  session.grow('x')

  turns.subscribe(nothing)

  expect(turns.getSnapshot().messages).toEqual([assistant('reply-0', 'x')])
})

test('coming back in time keeps the session open', async () => {
  const { turns, clock, opened } = setUp()
  turns.subscribe(nothing)()
  await clock.advance(LINGER_MS - 1)

  turns.subscribe(nothing)
  await clock.advance(LINGER_MS * 2)

  expect(opened).toHaveLength(1)
  expect(opened[0]?.asked).toEqual([])
})

test('twenty mounts and unmounts leave one session, and later none', async () => {
  const { turns, clock, opened } = setUp()

  for (let index = 0; index < 20; index += 1) turns.subscribe(nothing)()
  expect(opened.map(({ listenerCount }) => listenerCount)).toEqual([1])
  await clock.advance(LINGER_MS)

  expect(opened.map(({ listenerCount }) => listenerCount)).toEqual([0])
  expect(clock.pending).toBe(0)
})

test('a running turn keeps its session open until it has ended', async () => {
  const session = fakeSession()
  const { turns, clock } = setUp(session)
  const stop = turns.subscribe(nothing)
  session.grow('x')
  stop()

  await clock.advance(LINGER_MS * 3)
  expect(session.asked).toEqual([])
  session.finish()
  await clock.advance(LINGER_MS)

  expect(session.asked).toEqual(['close "finish"'])
})

test.each([
  ['unsaved entries', { storage: { state: 'ready', waiting: 1 } }],
  ['no other place', { storage: { state: 'memory', waiting: 0 } }],
  ['a queue', { queue: [{ id: 'q', turnId: 't', createdAt: 0, content: [] }] }],
] as const)('a session with %s stays open', async (_, patch) => {
  const session = fakeSession('a', { status: 'idle', ...patch })
  const { turns, clock } = setUp(session)

  turns.subscribe(nothing)()
  await clock.advance(LINGER_MS * 3)

  expect(session.asked).toEqual([])
})

test('a closed session is opened anew by the next subscriber', async () => {
  const { turns, opened } = setUp()
  const stop = turns.subscribe(nothing)
  await opened[0]?.close()
  expect(turns.getSnapshot().status).toBe('closed')

  stop()
  turns.subscribe(nothing)

  expect(opened).toHaveLength(2)
  expect(turns.getSnapshot().session).toBe(opened[1])
})

test('the newest agent opens the session, later ones are told to it', () => {
  const { turns, agents, opened } = setUp()
  turns.setAgent(agentNamed('two'))
  turns.subscribe(nothing)

  turns.setAgent(agentNamed('three'))

  expect(agents).toEqual(['two'])
  expect(opened[0]?.asked).toEqual(['setAgent "three"'])
})

test('a view shows what people are asked, and its commands decide', async () => {
  const request = { id: 'r', callId: 'c', toolName: 'wipe', ask: 'approve', input: {}, inputHash: '' } as const
  const session = fakeSession('a', { status: 'idle' })
  const { turns } = setUp(session)
  turns.subscribe(nothing)
  const { approve, deny, answer } = turns.getSnapshot()

  session.change({ status: 'awaiting', pending: [request] })
  await approve('r', { input: { draft: 'b' } })
  await deny('r', 'no')
  await answer('r', 'red')

  expect(turns.getSnapshot()).toMatchObject({ status: 'awaiting', pending: [request], approve, deny, answer })
  expect(session.asked).toEqual(['approve ["r",{"input":{"draft":"b"}}]', 'deny ["r","no"]', 'answer ["r","red"]'])
})

test('what opens sessions may be a host, whose agents are its own', async () => {
  const host: SessionHost = { store: new MemoryStore(), open: (id) => fakeSession(id) }
  const { turns, agents } = setUp()
  turns.open()

  turns.setAgent(host)
  expect(turns.open()).toMatchObject({ asked: [] })
  const hosted = findTurnStore(host, { sessionId: 'b' }).open()

  expect([hosted.id, agents]).toEqual(['b', ['one']])
})
