import { type Agent, MemoryStore, type Session } from '@turnloop/core'
import { type AgentTurn, useAgentTurn } from '@turnloop/react'
import { Activity, type ReactNode, StrictMode, Suspense, use } from 'react'
import { expect, test } from 'vitest'
import { Chat, free, scripted, textOf } from './chat.tsx'
import { countFrames, nextFrame, until } from './page.ts'
import { render, renderHook } from './strict-render.ts'

test('a sent text streams in and ends as two messages', async () => {
  const { agent, valve } = scripted('hello')
  const { result } = await renderHook(() => useAgentTurn(agent, { sessionId: 'a' }))
  await until(() => result.current.status === 'idle')

  const sent = result.current.send('hi')
  valve.release(4)
  await until(() => result.current.open !== undefined && textOf(result.current).startsWith('hi | h'))
  expect(result.current.status).toBe('running')
  expect(result.current.messages.at(-1)).toBe(result.current.open)
  valve.release(100)
  await sent
  await until(() => result.current.status === 'idle')

  expect(textOf(result.current)).toBe('hi | hello')
  expect(result.current.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(result.current.outcome?.kind).toBe('completed')
})

test('StrictMode opens one session and a send on mount happens once', async () => {
  const { agent, model } = free('hello')
  const sessions = new Set<Session | undefined>()
  const { container } = await render(
    <StrictMode>
      <Chat agent={agent} sessionId="a" first="hi" onCommit={({ session }) => sessions.add(session)} />
    </StrictMode>,
  )

  await until(() => container.textContent === 'hi | hello')
  await nextFrame()

  sessions.delete(undefined)
  expect(sessions.size).toBe(1)
  expect(model.requests).toHaveLength(1)
})

test('twenty components on one id share one session and one turn', async () => {
  const { agent, model } = free('hello')
  const store = new MemoryStore()
  const sessions = new Set<Session | undefined>()
  const { container } = await render(
    Array.from({ length: 20 }, (_, index) => (
      <Chat
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
        key={index}
        agent={agent}
        sessionId="a"
        store={store}
        first="hi"
        onCommit={({ session }) => sessions.add(session)}
      />
    )),
  )

  await until(() => [...container.children].every((chat) => chat.textContent === 'hi | hello'))

  sessions.delete(undefined)
  expect(sessions.size).toBe(1)
  expect(model.requests).toHaveLength(1)
})

test('without a store, two agents do not share an id', async () => {
  const one = free('from one')
  const two = free('from two')
  const { container } = await render(
    <>
      <Chat agent={one.agent} sessionId="a" first="hi" />
      <Chat agent={two.agent} sessionId="a" first="ho" />
    </>,
  )

  await until(() => container.textContent === 'hi | from oneho | from two')
})

test('a render that is never committed opens nothing', async () => {
  const { agent } = free()
  const store = new MemoryStore()
  let isOpened = false
  store.read = async () => {
    isOpened = true
    return []
  }
  const { container } = await render(
    <Suspense fallback="waiting">
      <Chat agent={agent} sessionId="a" store={store} />
      <Forever />
    </Suspense>,
  )
  await nextFrame()

  expect(container.textContent).toBe('waiting')
  expect(isOpened).toBe(false)
})

const never = new Promise<never>(() => {})

function Forever(): ReactNode {
  return use(never)
}

test('a conversation that was hidden is live again when it is shown', async () => {
  const { agent, valve } = scripted('hello')
  const chat = <Chat agent={agent} sessionId="a" first="hi" />
  const { container, rerender } = await render(<Activity mode="visible">{chat}</Activity>)
  valve.release(4)
  await until(() => container.textContent?.startsWith('hi | h') === true)

  await rerender(<Activity mode="hidden">{chat}</Activity>)
  valve.release(100)
  await nextFrame()
  await rerender(<Activity mode="visible">{chat}</Activity>)

  await until(() => container.textContent === 'hi | hello')
})

test('a turn outlives its component, and a remount shows it live', async () => {
  const { agent, model, valve } = scripted('hello')
  const { unmount } = await render(<Chat agent={agent} sessionId="a" first="hi" />)
  valve.release(4)
  await until(() => model.requests.length === 1)
  await unmount()
  valve.release(1)

  let last: AgentTurn | undefined
  const onCommit = (turn: AgentTurn): void => {
    last = turn
  }
  const { container } = await render(<Chat agent={agent} sessionId="a" onCommit={onCommit} />)
  expect(last?.status).toBe('running')
  expect(container.textContent).toMatch(/^hi/)
  valve.release(100)

  await until(() => container.textContent === 'hi | hello')
  expect(model.abortedRequests).toEqual([])
})

test('another agent counts from the next turn on', async () => {
  const one = free('from one')
  const two = free('from two')
  const store = new MemoryStore()
  const { result, rerender } = await renderHook((agent: Agent = one.agent) =>
    useAgentTurn(agent, { sessionId: 'a', store }),
  )
  await result.current.send('first')
  const { session } = result.current

  await rerender(two.agent)
  await result.current.send('second')
  await until(() => textOf(result.current) === 'first | from one | second | from two')

  expect(result.current.session).toBe(session)
})

test('a text sent in the tick of a stop runs and stops', async () => {
  const { agent, valve } = scripted('answer to a', 'answer to b')
  const { result } = await renderHook(() => useAgentTurn(agent, { sessionId: 'a' }))
  const { send, cancel } = result.current
  const first = send('a')
  valve.release(4)
  await until(() => result.current.open !== undefined)

  const stopped = cancel()
  const second = send('b')
  await stopped
  expect((await first).outcome.kind).toBe('cancelled')
  valve.release(4)
  await until(() => textOf(result.current).includes('b | a'))
  await Promise.all([cancel(), cancel()])
  expect((await second).outcome.kind).toBe('cancelled')
  await cancel()
  await until(() => result.current.status === 'idle')

  expect(textOf(result.current)).toMatch(/^a \| a.* \| b \| a/)
})

test('5,000 deltas of a real turn commit a bounded number of times', async () => {
  const { agent } = free('x'.repeat(5000))
  let commits = 0
  const onCommit = (): void => {
    commits += 1
  }
  const frames = countFrames()
  const { container } = await render(<Chat agent={agent} sessionId="a" first="hi" onCommit={onCommit} />)
  await until(() => container.textContent === `hi | ${'x'.repeat(5000)}`)

  expect(commits).toBeLessThanOrEqual(frames() + 5)
})
