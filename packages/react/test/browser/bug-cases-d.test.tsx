import { MemoryStore, openSession, type Session } from '@turnloop/core'
import { useAgentTurn } from '@turnloop/react'
import { type ReactNode, useEffect } from 'react'
import { expect, test } from 'vitest'
import { Chat, free, scripted, textOf } from './chat.tsx'
import { countFrames, nextFrame, until } from './page.ts'
import { render, renderHook } from './strict-render.ts'

test('a burst of one-character deltas under a slow child commits once per frame [D1]', async () => {
  const { agent } = free('x'.repeat(5000))
  let commits = 0
  const onCommit = (): void => {
    const end = performance.now() + 2
    while (performance.now() < end);
    commits += 1
  }
  const frames = countFrames()
  const { container } = await render(<Chat agent={agent} sessionId="d1" first="hi" onCommit={onCommit} />)
  await until(() => container.textContent === `hi | ${'x'.repeat(5000)}`)
  // Mounted twice, and what it has shown before it was open.
  expect(commits).toBeLessThanOrEqual(frames() + 6)
})

test('twenty strict components that send on mount ask once, with one history [D3]', async () => {
  const { agent, model } = free('hello')
  const store = new MemoryStore()
  const sessions = new Set<Session | undefined>()
  const many = Array.from({ length: 20 }, (_, index) => `chat ${index}`)
  const { container } = await render(
    many.map((key) => (
      <Chat
        key={key}
        agent={agent}
        sessionId="d3"
        store={store}
        first="hi"
        onCommit={({ session }) => sessions.add(session)}
      />
    )),
  )
  await until(() => [...container.children].every((chat) => chat.textContent === 'hi | hello'))
  sessions.delete(undefined)
  expect([sessions.size, model.requests.length]).toEqual([1, 1])
})

test('leaving and coming back within a tick keeps the run [D3]', async () => {
  const { agent, model, valve } = scripted('hello')
  const { container, rerender } = await render(<Chat key="one" agent={agent} sessionId="d3-tick" first="hi" />)
  valve.release(4)
  await until(() => container.textContent?.startsWith('hi | h') === true)

  await rerender(<Chat key="two" agent={agent} sessionId="d3-tick" first="hi" />)
  valve.release(100)

  await until(() => container.textContent === 'hi | hello')
  expect([model.requests.length, model.abortedRequests]).toEqual([1, []])
})

test('twenty components resume a cut turn once [D3]', async () => {
  const store = new MemoryStore()
  const before = scripted('hello')
  const session = openSession({ agent: before.agent, store, id: 'd3-cut' })
  session.send('hi').catch(() => {})
  before.valve.release(3)
  await until(() => session.getSnapshot().open !== undefined)
  await session.close({ running: 'leave' })

  const { agent, model } = free('hello again')
  const many = Array.from({ length: 20 }, (_, index) => `chat ${index}`)
  const { container } = await render(many.map((key) => <Resuming key={key} {...{ agent, store }} />))

  await until(() => [...container.children].every((chat) => chat.textContent === 'hi | hello again'))
  expect(model.requests).toHaveLength(1)
})

function Resuming({ agent, store }: Pick<Parameters<typeof Chat>[0], 'agent' | 'store'>): ReactNode {
  const turn = useAgentTurn(agent, store === undefined ? { sessionId: 'd3-cut' } : { sessionId: 'd3-cut', store })
  const { resume, resumable } = turn
  useEffect(() => {
    if (resumable) resume().catch(() => {})
  }, [resume, resumable])
  return <p>{textOf(turn)}</p>
}

test('a conversation that was switched to never shows deltas of the other [D5]', async () => {
  const { agent, valve } = scripted('aaaaaaaa', 'bbbb')
  const store = new MemoryStore()
  const seen: { id: string; text: string }[] = []
  const { container, rerender } = await render(
    <Chat agent={agent} store={store} sessionId="d5-a" first="to a" onCommit={watch} />,
  )
  valve.release(4)
  await until(() => container.textContent?.includes('| aa') === true)

  await rerender(<Chat agent={agent} store={store} sessionId="d5-b" onCommit={watch} />)
  valve.release(2)
  await nextFrame()
  await rerender(<Chat agent={agent} store={store} sessionId="d5-a" onCommit={watch} />)
  valve.release(100)
  await until(() => container.textContent === 'to a | aaaaaaaa')

  expect(seen.filter(({ id, text }) => id === 'd5-b' && text !== '')).toEqual([])
  expect((await store.read('d5-b')).length).toBe(0)

  function watch(turn: Parameters<typeof textOf>[0], id: string): void {
    seen.push({ id, text: textOf(turn) })
  }
})

test('a partial that was stopped from elsewhere is kept under its own id [D5]', async () => {
  const { agent, valve } = scripted('aaaaaaaa')
  const store = new MemoryStore()
  const { result, rerender } = await renderHook((sessionId: string = 'd5-c') =>
    useAgentTurn(agent, { sessionId, store }),
  )
  const { cancel, send } = result.current
  const sent = send('to c')
  valve.release(4)
  await until(() => textOf(result.current).includes('| aa'))

  await rerender('d5-d')
  await cancel()

  expect((await sent).outcome.kind).toBe('cancelled')
  expect(textOf(result.current)).toBe('')
  await rerender('d5-c')
  expect(textOf(result.current)).toMatch(/^to c \| aa+$/)
})

test('finished rows keep their identity while the last one grows to 50 kB [D7]', async () => {
  const { agent, valve } = scripted('one', 'x'.repeat(500))
  const { result } = await renderHook(() => useAgentTurn(agent, { sessionId: 'd7' }))
  valve.release(100)
  await result.current.send('first')
  await until(() => result.current.messages.length === 2)
  const old = [...result.current.messages]
  const sent = result.current.send('second')
  const lists = new Set<unknown>()
  for (let round = 0; round < 20; round += 1) {
    valve.release(10)
    await nextFrame()
    lists.add(result.current.messages)
    expect(result.current.messages.slice(0, 2).every((message, index) => message === old[index])).toBe(true)
  }
  valve.release(1000)
  await sent
  await until(() => result.current.status === 'idle')
  expect(lists.size).toBeGreaterThan(5)
  expect(result.current.messages.slice(0, 2)).toEqual(old)
})
