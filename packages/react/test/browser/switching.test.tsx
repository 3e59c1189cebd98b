import { MemoryStore, openSession } from '@turnloop/core'
import { useAgentTurn } from '@turnloop/react'
import { Suspense, startTransition, use, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Chat, type ChatProps, free, scripted, textOf } from './chat.tsx'
import { nextFrame, until } from './page.ts'
import { render } from './strict-render.ts'

interface Commit {
  id: string
  text: string
}

function commitLog(): { commits: Commit[]; onCommit: NonNullable<ChatProps['onCommit']> } {
  const commits: Commit[] = []
  return { commits, onCommit: (turn, id) => void commits.push({ id, text: textOf(turn) }) }
}

test('switching in mid-stream shows nothing of one conversation in the other', async () => {
  const { agent, valve } = scripted('aaaaaaaa', 'bbbb')
  const store = new MemoryStore()
  const { commits, onCommit } = commitLog()
  const shown = { agent, store, onCommit }
  const { container, rerender } = await render(<Chat {...shown} sessionId="a" first="to a" />)
  valve.release(5)
  await until(() => container.textContent?.includes('| aa') === true)

  await rerender(<Chat {...shown} sessionId="b" />)
  expect(container.textContent).toBe('')
  valve.release(2)
  await rerender(<Chat {...shown} sessionId="a" />)
  expect(container.textContent).toContain('to a | aa')
  valve.release(100)
  await until(() => container.textContent === 'to a | aaaaaaaa')
  await rerender(<Chat {...shown} sessionId="b" first="to b" />)
  await until(() => container.textContent === 'to b | bbbb')

  expect(new Set(commits.map(({ id }) => id)).size).toBe(2)
  for (const { id, text } of commits) expect(text).not.toContain(id === 'a' ? 'b' : 'a')
  expect(await storedText(store, 'a')).toBe('to a | aaaaaaaa')
})

test('a turn stopped from elsewhere is stored under its own id', async () => {
  const { agent, valve } = scripted('aaaaaaaa')
  const store = new MemoryStore()
  let cancel = async (): Promise<void> => {}
  const onCommit: ChatProps['onCommit'] = (turn, id) => {
    if (id === 'a') cancel = turn.cancel
  }
  const { container, rerender } = await render(
    <Chat agent={agent} store={store} sessionId="a" first="to a" onCommit={onCommit} />,
  )
  valve.release(5)
  await until(() => container.textContent?.includes('| aa') === true)

  await rerender(<Chat agent={agent} store={store} sessionId="b" />)
  await cancel()

  expect(await store.read('b')).toEqual([])
  expect(await storedText(store, 'a')).toMatch(/^to a \| aa+$/)
})

test('a transition shows the old conversation until the new is ready', async () => {
  const { agent } = free('from a', 'from b')
  const store = new MemoryStore()
  let resolve = (): void => {}
  const ready = new Promise<void>((done) => {
    resolve = done
  })
  let show = (_id: string): void => {}
  const { container } = await render(
    <Switch agent={agent} store={store} ready={ready} onReady={(set) => (show = set)} />,
  )
  await until(() => container.textContent === 'a: to a | from a')

  startTransition(() => show('b'))
  await nextFrame()
  expect(container.textContent).toBe('a: to a | from a')
  resolve()

  await until(() => container.textContent === 'b: to b | from b')
})

interface SwitchProps extends Pick<ChatProps, 'agent'> {
  store: MemoryStore
  ready: Promise<void>
  onReady(show: (id: string) => void): void
}

function Switch({ agent, store, ready, onReady }: SwitchProps) {
  const [id, setId] = useState('a')
  onReady(setId)
  return (
    <Suspense fallback="waiting">
      {id}: <Chat agent={agent} store={store} sessionId={id} first={`to ${id}`} />
      {id === 'b' && <Wait until={ready} />}
    </Suspense>
  )
}

function Wait({ until: ready }: { until: Promise<void> }) {
  use(ready)
  return null
}

test('server HTML hydrates without a warning and comes alive', async () => {
  const { agent } = free('hello')
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = renderToString(<Greeting agent={agent} />)
  expect(container.textContent).toBe('loading')

  const root = hydrateRoot(container, <Greeting agent={agent} />)
  await until(() => container.textContent === 'idlehi | hello')

  root.unmount()
  container.remove()
})

function Greeting({ agent }: Pick<ChatProps, 'agent'>) {
  const status = useAgentTurn(agent, { sessionId: 'hydrated' }, (turn) => turn.status)
  return (
    <>
      {status}
      <Chat agent={agent} sessionId="hydrated" first="hi" />
    </>
  )
}

/** What a store holds of a conversation, read by a session of its own. */
async function storedText(store: MemoryStore, id: string): Promise<string> {
  const session = openSession({ agent: free().agent, id, store, resume: 'manual' })
  await until(() => session.getSnapshot().status !== 'loading')
  const { messages } = session.getSnapshot()
  await session.close({ running: 'leave' })
  return textOf({ messages })
}
