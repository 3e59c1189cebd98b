import { createAgent, openSession, type Session, type Snapshot, tool } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { deferred, type Script, scriptedModel } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { freshName } from './databases.ts'

const says: Script = ({ messages }) => `Said ${messages.filter(({ role }) => role === 'user').length}.`

/** A session as another tab has it: with a connection, a lock and a channel of its own. */
function openTab(name: string, script: Script = says) {
  const model = scriptedModel(script)
  const save = tool({ name: 'save', description: 'Save.', needsApproval: true, execute: () => 'saved' })
  const session = openSession({
    agent: createAgent({ model, tools: [save] }),
    id: 's',
    store: indexedDbStore({ name }),
  })
  return { model, session }
}

function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
  return vi.waitUntil(() => (passes(session.getSnapshot()) ? session.getSnapshot() : undefined), { timeout: 10_000 })
}

function openText({ open }: Snapshot): string {
  return (open?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')
}

test('a session in IndexedDB is shared, and says nothing else', async () => {
  const { session } = openTab(freshName())
  const { storage, role } = await until(session, ({ status }) => status === 'idle')
  expect([storage, role]).toEqual([{ state: 'ready', waiting: 0 }, 'driver'])
  await session.close()
})

test('the text of one tab grows in the other within a few frames', async () => {
  const name = freshName()
  const gate = deferred()
  const [a, b] = [openTab(name, [{ text: 'One two three', gate: gate.promise, hang: 'until-abort' }]), openTab(name)]
  const turn = a.session.send('Go')
  await until(b.session, ({ status, role }) => status === 'running' && role === 'follower')
  gate.resolve()
  const shownIn = (session: Session): Promise<number> =>
    until(session, (snapshot) => openText(snapshot) === 'One two three').then(() => performance.now())
  const [there, here] = await Promise.all([shownIn(a.session), shownIn(b.session)])
  expect(here - there).toBeLessThan(250)
  await b.session.cancel()
  expect((await turn).outcome.kind).toBe('cancelled')
  await Promise.all([a.session.close(), b.session.close()])
})

test('three tabs that send at once are answered one after the other, thirty times', async () => {
  const name = freshName()
  const tabs = [openTab(name), openTab(name), openTab(name)]
  for (let round = 1; round <= 30; round += 1) {
    const results = await Promise.all(tabs.map(({ session }) => session.send(`Round ${round}`)))
    const said = results.map(({ text }) => text).sort()
    const last = 3 * round
    expect(said).toEqual([`Said ${last - 2}.`, `Said ${last - 1}.`, `Said ${last}.`].sort())
  }
  expect(tabs.reduce((sum, { model }) => sum + model.requests.length, 0)).toBe(90)
  const log = await indexedDbStore({ name }).read('s')
  for (const { session } of tabs) {
    await until(session, ({ messages, status }) => messages.length === 180 && status === 'idle')
    expect(session.getEntries()).toEqual(log)
    await session.close()
  }
})

test('a turn whose page is gone is finished by another', async () => {
  const name = freshName()
  const { session, model } = openTab(name, ['Said here.'])
  const frame = document.createElement('iframe')
  frame.dataset.name = name
  document.body.append(frame)
  const script = document.createElement('script')
  script.type = 'module'
  script.src = new URL('./frame-that-drives.ts', import.meta.url).href
  frame.contentDocument?.body.append(script)
  await until(session, (snapshot) => openText(snapshot) === 'Half of what the frame')
  expect([session.getSnapshot().role, model.requests.length]).toEqual(['follower', 0])
  frame.remove()
  const { messages } = await until(session, ({ status, messages: all }) => status === 'idle' && all.length === 2)
  expect(messages[1]).toMatchObject({ role: 'assistant', content: [{ text: 'Said here.' }] })
  await session.close()
})

test('what one tab is asked is allowed in the other', async () => {
  const name = freshName()
  const script: Script = ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Saved.' : { calls: [{ name: 'save' }] })
  const [a, b] = [openTab(name, script), openTab(name, script)]
  await a.session.send('Save it')
  const { pending } = await until(b.session, ({ status }) => status === 'awaiting')
  await b.session.approve(pending[0]?.id ?? '')
  const ends = await Promise.all([a, b].map(({ session }) => until(session, ({ status }) => status === 'idle')))
  expect(ends.map(({ outcome }) => outcome?.kind)).toEqual(['completed', 'completed'])
  await a.session.approve(pending[0]?.id ?? '')
  await expect(a.session.deny(pending[0]?.id ?? '')).rejects.toMatchObject({ code: 'bad-input' })
  await Promise.all([a.session.close(), b.session.close()])
})
