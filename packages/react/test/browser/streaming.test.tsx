import type { Agent, Message } from '@turnloop/core'
import { messageText } from '@turnloop/core'
import { memo, Profiler } from 'react'
import { expect, test } from 'vitest'
import { TurnStore } from '../../src/turn-store.ts'
import { useSelected } from '../../src/use-selected.ts'
import { assistant, type FakeSession, fakeSession, user } from '../fake-session.ts'
import { nextFrame, nextTask, until } from './page.ts'
import { render, renderHook, STRICT_CALLS } from './strict-render.ts'

type Count = (what: string) => void

// No agent is asked anything here.
const noAgent = { name: 'none' } as unknown as Agent

const storeOf = (session: FakeSession): TurnStore => new TurnStore(noAgent, () => session)

/** Counts by name. */
function counter(): { count: Count; of(what: string): number; reset(): void } {
  const counts = new Map<string, number>()
  return {
    count: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    of: (what) => counts.get(what) ?? 0,
    reset: () => counts.clear(),
  }
}

const Row = memo(function Row({ message, count }: { message: Message; count: Count }) {
  count(message.id)
  return <p>{message.role === 'tool' ? '' : messageText(message)}</p>
})

function Chat({ turns, count }: { turns: TurnStore; count: Count }) {
  const { messages } = useSelected(turns, (turn) => turn)
  beSlow()
  return (
    <Profiler id="chat" onRender={() => count('commit')}>
      {messages.map((message) => (
        <Row key={message.id} message={message} count={count} />
      ))}
    </Profiler>
  )
}

/** Take two milliseconds, as a heavy component does. */
function beSlow(): void {
  const end = performance.now() + 2
  while (performance.now() < end);
}

test('a burst of 5,000 deltas commits a few times and ends complete', async () => {
  const session = fakeSession()
  const renders = counter()
  const { container } = await render(<Chat turns={storeOf(session)} count={renders.count} />)
  renders.reset()

  for (let index = 0; index < 5000; index += 1) session.grow('x')
  for (let index = 0; index < 300; index += 1) {
    const call = { callId: 'c', toolName: 't', turnId: '1', inputText: 'y'.repeat(index) }
    session.change({ calls: new Map([['c', { ...call, state: 'input-streaming' }]]) })
  }
  session.finish()
  await until(() => container.textContent === 'x'.repeat(5000))
  await nextFrame()

  expect(renders.of('commit')).toBeLessThanOrEqual(2)
})

test('deltas spread over many tasks commit at most once per frame', async () => {
  const session = fakeSession()
  const renders = counter()
  const { container } = await render(<Chat turns={storeOf(session)} count={renders.count} />)
  renders.reset()
  let frames = 0
  let frame = requestAnimationFrame(function countFrame() {
    frames += 1
    frame = requestAnimationFrame(countFrame)
  })

  for (let index = 0; index < 5000; index += 1) {
    session.grow('x')
    if (index % 10 === 0) await nextTask()
  }
  session.finish()
  await until(() => container.textContent === 'x'.repeat(5000))
  cancelAnimationFrame(frame)

  expect(renders.of('commit')).toBeGreaterThan(1)
  expect(renders.of('commit')).toBeLessThanOrEqual(frames + 1)
})

test('closed rows do not render while the last one grows', async () => {
  const old = Array.from({ length: 60 }, (_, index) =>
    index % 2 === 0 ? user(`u${index}`, 'yes?') : assistant(`a${index}`, 'no'),
  )
  const session = fakeSession('a', { status: 'idle', messages: old })
  const renders = counter()
  const { container } = await render(<Chat turns={storeOf(session)} count={renders.count} />)

  for (let index = 0; index < 50; index += 1) {
    session.grow('z'.repeat(1000))
    await nextFrame()
  }
  session.finish()
  await until(() => container.lastElementChild?.textContent?.length === 50_000)

  expect(old.map(({ id }) => renders.of(id))).toEqual(old.map(() => STRICT_CALLS))
  expect(renders.of('reply-60')).toBeGreaterThan(20)
})

test('a component that selects the status does not render while text grows', async () => {
  const session = fakeSession()
  const turns = storeOf(session)
  let renders = 0
  const { result } = await renderHook(() => {
    renders += 1
    return useSelected(turns, ({ status, send }) => ({ status, send }))
  })
  renders = 0

  for (let index = 0; index < 20; index += 1) {
    session.grow('x')
    await nextFrame()
  }
  session.finish()
  await until(() => result.current.status === 'idle')

  expect(renders).toBe(2 * STRICT_CALLS)
})
