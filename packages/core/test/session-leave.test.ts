import { createAgent, MemoryStore, openSession, type Session } from '@turnloop/core'
import { manualClock, type Script, scriptedModel } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'

/** A store of a page that can be told to go. */
class LeavingStore extends MemoryStore {
  readonly listeners = new Set<() => void>()

  whenLeaving(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  leave(): void {
    for (const listener of this.listeners) listener()
  }
}

function openOn(store: LeavingStore, script: Script): Session {
  return openSession({ agent: createAgent({ model: scriptedModel(script), clock: manualClock() }), store, id: 's' })
}

function growing(session: Session): Promise<void> {
  return vi.waitFor(() => expect(session.getSnapshot().open?.content).toMatchObject([{ text: 'Half of it' }]))
}

test('a page that goes saves the reply as far as it has grown', async () => {
  const store = new LeavingStore()
  const session = openOn(store, [{ text: 'Half of it', hang: 'until-abort' }])
  session.send('Go').catch(() => {})
  await growing(session)
  store.leave()
  expect((await store.open('s'))?.message.content).toMatchObject([{ text: 'Half of it' }])
  await session.close({ running: 'leave' })
})

test('entries whose save has not been answered are saved when the page goes', async () => {
  const store = new LeavingStore()
  const session = openOn(store, [{ text: 'Half of it', hang: 'until-abort' }, 'Done.'])
  vi.spyOn(store, 'append').mockReturnValue(new Promise(() => {}))
  session.send('Go').catch(() => {})
  await growing(session)
  expect(await store.read('s')).toEqual([])
  store.leave()
  expect(await store.read('s')).toEqual(session.getEntries())
})

test('with nothing to save nothing is saved when the page goes', async () => {
  const store = new LeavingStore()
  const session = openOn(store, ['Done.'])
  await session.send('Go')
  await session.flush()
  const saves = vi.spyOn(store, 'saveNow')
  store.leave()
  expect(saves).not.toHaveBeenCalled()
  await session.close()
})

test('a closed session does not listen for the page to go', async () => {
  const store = new LeavingStore()
  const session = openOn(store, ['Done.'])
  await session.send('Go')
  await session.close()
  expect(store.listeners.size).toBe(0)
})
