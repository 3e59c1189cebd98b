import type { Agent, Message, SessionStore } from '@turnloop/core'
import { createAgent, importSession, MemoryStore, messageText } from '@turnloop/core'
import { AgentProvider, Messages, useAgentTurn, useSession } from '@turnloop/react'
import { faultyStore, scriptedModel, storeFaults } from '@turnloop/testing'
import { type ComponentType, memo, Profiler, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { assistant, user } from '../fake-session.ts'
import { countFrames, nextTask, setVisibility, until } from './page.ts'
import { render } from './strict-render.ts'

const OLD = 1000
const DELTAS = 5000
const LONGEST_MS = 50

/** What was drawn, by the id of its message, or by name. */
type Drawn = Map<string, number>

/** A long conversation, and an agent that answers in many small pieces, a few of them per task. */
async function longChat(): Promise<{ agent: Agent; store: SessionStore; sessionId: string }> {
  const store = new MemoryStore()
  const entries = Array.from({ length: OLD }, (_, index) => ({
    ...{ sequence: index + 1, at: 0, type: 'message' as const },
    message:
      index % 2 === 0 ? user(`old-${index}`, `Question ${index}?`) : assistant(`old-${index}`, `Answer ${index}.`),
  }))
  const file = { format: 'turnloop-session', version: 1, id: 'long', exportedAt: 0, entries } as const
  const sessionId = await importSession(file, { store })
  let passed = 0
  const beforeEvent = async (): Promise<void> => {
    passed += 1
    if (passed % 20 === 0) await nextTask()
  }
  const model = scriptedModel(['x'.repeat(DELTAS), 'y'.repeat(DELTAS), 'z'.repeat(DELTAS)], { chunk: 1, beforeEvent })
  return { agent: createAgent({ model }), store, sessionId }
}

function textIn(message: Message): string {
  return message.role === 'tool' ? '' : messageText(message)
}

/** The longest task from now on, until it is asked for, in ms; 0 where the engine does not tell. */
function watchLongTasks(): () => number {
  if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return () => 0
  const observer = new PerformanceObserver(() => {})
  observer.observe({ type: 'longtask' })
  return () => {
    const longest = Math.max(0, ...observer.takeRecords().map(({ duration }) => duration))
    observer.disconnect()
    return longest
  }
}

const Row = memo(function Row({ message, drawn }: { message: Message; drawn: Drawn }): ReactNode {
  note(drawn, message.id)
  return <p>{textIn(message)}</p>
})

function note(drawn: Drawn, what: string): void {
  drawn.set(what, (drawn.get(what) ?? 0) + 1)
}

interface ChatProps {
  readonly agent: Agent
  readonly store: SessionStore
  readonly sessionId: string
  readonly drawn: Drawn
}

/** Rows in `memo`, drawn by the component that has the hook. */
function Memoised({ agent, store, sessionId, drawn }: ChatProps): ReactNode {
  const { messages } = useAgentTurn(agent, { sessionId, store })
  return (
    <Profiler id="owner" onRender={() => note(drawn, 'owner')}>
      {messages.map((message) => (
        <Row key={message.id} message={message} drawn={drawn} />
      ))}
    </Profiler>
  )
}

/** Rows of which nobody has thought. */
function Naive({ agent, store, sessionId, drawn }: ChatProps): ReactNode {
  note(drawn, 'owner')
  return (
    <AgentProvider agent={agent} store={store}>
      <Messages sessionId={sessionId}>
        {(message) => {
          note(drawn, message.id)
          return <p>{textIn(message)}</p>
        }}
      </Messages>
    </AgentProvider>
  )
}

/** Asks for the next answer, and shows nothing. */
function Composer({
  agent,
  store,
  sessionId,
  onReady,
}: Omit<ChatProps, 'drawn'> & { onReady(send: () => void): void }) {
  const { send, status } = useAgentTurn(agent, { sessionId, store }, (turn) => ({
    send: turn.send,
    status: turn.status,
  }))
  if (status === 'idle') onReady(() => void send('More?'))
  return null
}

/** A long chat as a component draws it, once its old messages are there, and what asks for the next answer. */
async function renderChat(Chat: ComponentType<ChatProps>): Promise<{ list: Element; drawn: Drawn; send(): void }> {
  const chat = await longChat()
  const drawn: Drawn = new Map()
  let send = (): void => {}
  const { container } = await render(
    <>
      <Chat {...chat} drawn={drawn} />
      <Composer {...chat} onReady={(ready) => (send = ready)} />
    </>,
  )
  await until(() => container.children.length === OLD)
  return { list: container, drawn, send: () => send() }
}

/** Whether the answer of this round is there, to its last letter. */
function isWhole({ children, lastElementChild: last }: Element, round: number): boolean {
  return children.length === OLD + 2 * round && last?.textContent?.length === DELTAS
}

test.each([
  ['memoised', Memoised],
  ['naive', Naive],
])('5,000 deltas under 1,000 messages draw no closed row, %s', async (name, Chat) => {
  const { list, drawn, send } = await renderChat(Chat)
  const longest: number[] = []
  // A machine that is busy with something else makes any task long: the best of three counts.
  for (let round = 1; round <= 3 && (longest.length === 0 || Math.min(...longest) >= LONGEST_MS); round += 1) {
    drawn.clear()
    const [frames, tasks] = [countFrames(), watchLongTasks()]
    send()
    await until(() => isWhole(list, round), 30_000)
    longest.push(tasks())
    const shown = frames()
    // StrictMode draws twice what it draws.
    const rows = [...drawn].filter(([id]) => id !== 'owner').map(([id, times]) => [id, times / 2] as const)
    const closed = rows.filter(([id]) => id.startsWith('old-'))
    const all = rows.reduce((sum, [, times]) => sum + times, 0)
    console.info(`${name}: ${all} rows drawn in ${shown} frames, longest task ${longest.at(-1)} ms`)
    expect(closed).toEqual([])
    expect(all).toBeLessThanOrEqual(shown + 2)
    expect(drawn.get('owner') ?? 0).toBeLessThanOrEqual(shown + 4)
  }
  expect(Math.min(...longest)).toBeLessThan(LONGEST_MS)
})

test('the owner of a naive list does not render while it grows', async () => {
  const { list, drawn, send } = await renderChat(Naive)
  drawn.clear()
  send()
  await until(() => isWhole(list, 1), 30_000)
  expect(drawn.get('owner')).toBeUndefined()
})

test('a row keeps its element when its reply closes and another follows', async () => {
  const { list, drawn, send } = await renderChat(Naive)
  send()
  await until(() => list.children.length === OLD + 2)
  const growing = list.lastElementChild
  await until(() => isWhole(list, 1), 30_000)
  drawn.clear()
  send()
  await until(() => isWhole(list, 2), 30_000)
  expect(list.children[OLD + 1]).toBe(growing)
  expect(growing?.textContent).toBe('x'.repeat(DELTAS))
  // The row that was last is not drawn again for having company.
  expect(drawn.size).toBe(2)
})

test('a hidden page receives all of it', async () => {
  const { list, send } = await renderChat(Memoised)
  setVisibility('hidden')
  try {
    send()
    await until(() => isWhole(list, 1), 30_000)
  } finally {
    setVisibility('visible')
  }
  expect(list.lastElementChild?.textContent).toBe('x'.repeat(DELTAS))
})

test('the provider of a page says which session a hook shows', async () => {
  const chat = await longChat()
  const { container } = await render(
    <AgentProvider agent={chat.agent} store={chat.store}>
      <Count sessionId={chat.sessionId} />
    </AgentProvider>,
  )
  await until(() => container.textContent === `${OLD}`)
})

test('the provider of a page says how sessions are opened', async () => {
  const { agent, store: disk } = await longChat()
  const store = faultyStore(disk)
  store.break('append', storeFaults.refuse('quota-exceeded'))
  const sessionOptions = { makeRoom: () => store.mend() }
  const { container } = await render(
    <AgentProvider agent={agent} store={store} sessionOptions={sessionOptions}>
      <Ask sessionId="new" />
    </AgentProvider>,
  )
  container.querySelector('button')?.click()
  await until(() => container.textContent === 'ready, completed')
  expect((await disk.read('new')).at(-1)?.type).toBe('turn-ended')
})

function Ask({ sessionId }: { sessionId: string }): ReactNode {
  const { storage, outcome, send } = useSession(sessionId)
  const ask = (): void => void send('Question?').catch(() => {})
  return (
    <button type="button" onClick={ask}>
      {storage.state}, {outcome?.kind}
    </button>
  )
}

function Count({ sessionId }: { sessionId: string }): ReactNode {
  return useSession(sessionId, ({ messages }) => messages.length)
}
