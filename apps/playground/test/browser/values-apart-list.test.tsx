import { createAgent, MemoryStore } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, expect, test, vi } from 'vitest'
import { type Playground, PlaygroundContext } from '../../src/app/playground-context.ts'
import { createDataLibrary } from '../../src/data/tables.ts'
import { ValuesApartList } from '../../src/inspector/values-apart-list.tsx'
import { createMcpServers } from '../../src/tools/mcp-servers.ts'
import { until } from './until.ts'

const PHOTO = { hash: 'of-a-photo', byteLength: 3, label: 'photo.png', mediaType: 'image/png' }

const left: (() => void)[] = []
afterEach(() => {
  for (const leave of left.splice(0)) leave()
  vi.restoreAllMocks()
})

/** The list on the page, with a store that hands out the photo when it is told to. */
function show(): { press(): void; arrive(): Promise<void>; unmount(): void } {
  const store = new MemoryStore()
  if (store.blobs === undefined) throw new Error('This browser keeps nothing apart.')
  const waiting: (() => void)[] = []
  const read = new Promise<Uint8Array>((resolve) => waiting.push(() => resolve(new Uint8Array([1, 2, 3]))))
  vi.spyOn(store.blobs, 'get').mockReturnValue(read)
  const agent = createAgent({ model: scriptedModel(['Hello.']) })
  const playground: Playground = { agent, store, library: createDataLibrary(), servers: createMcpServers() }
  const container = document.createElement('div')
  document.body.append(container)
  const root = createRoot(container)
  root.render(
    <StrictMode>
      <PlaygroundContext value={playground}>
        <ValuesApartList values={[PHOTO]} />
      </PlaygroundContext>
    </StrictMode>,
  )
  const unmount = (): void => {
    root.unmount()
    container.remove()
  }
  left.push(unmount)
  return {
    press: () => container.querySelector('button')?.click(),
    arrive: async () => {
      for (const go of waiting) go()
      await read
    },
    unmount,
  }
}

function onMutation(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.body, { subtree: true, childList: true, attributes: true })
  return () => observer.disconnect()
}

test('an image that is read after the list has gone gets no address', async () => {
  const made = vi.spyOn(URL, 'createObjectURL')
  const list = show()
  await until(() => document.querySelector('button') !== null, onMutation)
  list.press()
  list.unmount()
  await list.arrive()
  await new Promise(requestAnimationFrame)

  expect(made).not.toHaveBeenCalled()
})

test('an image gives its address back when the list goes', async () => {
  const made = vi.spyOn(URL, 'createObjectURL')
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  const list = show()
  await until(() => document.querySelector('button') !== null, onMutation)
  list.press()
  await list.arrive()
  await until(() => document.querySelector('img')?.src.startsWith('blob:') === true, onMutation)
  list.unmount()

  expect(revoked.mock.calls.flat().toSorted()).toEqual(made.mock.results.map(({ value }) => value).toSorted())
})
