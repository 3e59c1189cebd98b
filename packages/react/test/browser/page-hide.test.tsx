import { createAgent, MemoryStore, messageText } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { findTurnStore } from '../../src/session-registry.ts'
import { setVisibility, until } from './page.ts'
import { valve } from './valve.ts'

const ways: Record<string, () => void> = {
  'is hidden': () => setVisibility('hidden'),
  'is frozen': () => document.dispatchEvent(new Event('freeze')),
  'goes away': () => globalThis.dispatchEvent(new Event('pagehide')),
}

test.each(Object.entries(ways))('a page that %s saves the growing reply at once', async (_name, leave) => {
  const gate = valve()
  // The clock stands still: nothing is saved because a second has gone by.
  const clock = { now: () => 0, setTimer: () => () => {} }
  const agent = createAgent({ clock, model: scriptedModel(['One two three.'], { beforeEvent: () => gate.pass() }) })
  const store = new MemoryStore()
  const turns = findTurnStore(agent, { sessionId: 's', store })
  const unsubscribe = turns.subscribe(() => {})
  const sent = turns.open().send('Go')
  gate.release(3)
  await until(() => turns.open().getSnapshot().open?.content.length === 1)
  expect(await store.open('s')).toBeUndefined()

  leave()
  let saved: string | undefined
  const shown = turns.open().getSnapshot().open
  for (let look = 0; look < 100 && saved === undefined; look += 1) {
    const open = await store.open('s')
    saved = open && messageText(open.message)
  }
  expect(saved).toBe(shown && messageText(shown))

  setVisibility('visible')
  gate.release(1000)
  await sent
  unsubscribe()
})
