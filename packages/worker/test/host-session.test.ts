import { createAgent, openSession, tool } from '@turnloop/core'
import { deferred, memoryTabs, type Script, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { goodbyes, growing, openHosted, until } from './hosting.ts'

const saves: Script = ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Saved.' : { calls: [{ name: 'save' }] })
const save = tool({ name: 'save', description: 'Save.', needsApproval: true, execute: () => 'saved' })

test('a turn runs in the worker, and the page shows it while it grows', async () => {
  const { host, workers } = openHosted({ script: [{ text: 'One two', hang: 'until-abort' }] })
  const session = host.open('s')
  const sent = session.send('Go')
  const { role } = await until(session, (snapshot) => growing(snapshot) === 'One two')
  await session.cancel()
  expect([(await sent).text, role, workers[0]?.model.requests.length]).toEqual(['One two', 'follower', 1])
})

test('Stop in the page stops the turn in the worker', async () => {
  const { host } = openHosted({ script: [{ text: 'Half', hang: 'until-abort' }] })
  const session = host.open('s')
  const sent = session.send('Go')
  await until(session, (snapshot) => growing(snapshot) === 'Half')
  await session.cancel()
  expect((await sent).outcome.kind).toBe('cancelled')
})

test('a call of the worker is allowed in the page', async () => {
  const { host } = openHosted({ script: saves, agent: { tools: [save] } })
  const session = host.open('s')
  await session.send('Save it')
  const { pending } = await until(session, ({ status }) => status === 'awaiting')
  await session.approve(pending[0]?.id ?? '')
  const { messages } = await until(session, ({ status }) => status === 'idle')
  expect(messages.at(-1)).toMatchObject({ content: [{ text: 'Saved.' }] })
})

test('one worker drives several sessions, each with the agent of its name', async () => {
  const agentOf = (sessionId: string) => createAgent({ model: scriptedModel([`I am ${sessionId}.`]) })
  const { host, workers } = openHosted({ host: { agent: agentOf } })
  const results = await Promise.all(['a', 'b'].map((id) => host.open(id).send('Who?')))
  expect([results.map(({ text }) => text), workers.length]).toEqual([['I am a.', 'I am b.'], 1])
})

test('the page that asks has its own worker drive', async () => {
  const browser = memoryTabs()
  const [here, there] = [openHosted({ browser, script: ['Here.'] }), openHosted({ browser, script: ['There.'] })]
  const [a, b] = [here.host.open('s'), there.host.open('s')]
  await Promise.all([a, b].map((session) => until(session, ({ status }) => status === 'idle')))
  const texts = [(await b.send('One')).text, (await a.send('Two')).text]
  expect(texts).toEqual(['There.', 'Here.'])
})

test('a page that drives by itself and one with a worker share a session', async () => {
  const browser = memoryTabs()
  const { host } = openHosted({ browser, script: () => 'In the worker.' })
  const agent = createAgent({ model: scriptedModel(() => 'In the page.') })
  const plain = openSession({ agent, id: 's', store: browser.open().store })
  const hosted = host.open('s')
  await until(hosted, ({ status }) => status === 'idle')
  const results = await Promise.all([plain.send('One'), hosted.send('Two')])
  expect(results.map(({ outcome }) => outcome.kind)).toEqual(['completed', 'completed'])
  await until(hosted, ({ messages, status }) => messages.length === 4 && status === 'idle')
  await until(plain, ({ messages, status }) => messages.length === 4 && status === 'idle')
  expect(hosted.getEntries()).toEqual(plain.getEntries())
})

test('a session that no page shows is finished, and then let go of', async () => {
  const browser = memoryTabs()
  const gate = deferred()
  const { host, tab, workers } = openHosted({ browser, script: [{ text: 'Done.', gate: gate.promise }] })
  const session = host.open('s')
  session.send('Go').catch(() => {})
  await until(session, ({ activity }) => activity?.kind === 'model')
  const gone = goodbyes(browser, 's', 2)
  await session.close()
  gate.resolve()
  await gone
  const ends = (await tab.store.read('s')).filter(({ type }) => type === 'turn-ended')
  expect([ends.length, workers[0]?.model.requests.length]).toEqual([1, 1])
})

test('a page that dies keeps no session open', async () => {
  const browser = memoryTabs()
  const { host, tab, workers } = openHosted({ browser })
  await host.open('s').send('Go')
  const gone = goodbyes(browser, 's', 1)
  tab.crash()
  await gone
  expect(workers[0]?.isTerminated).toBe(false)
})

test('what a compaction would do is asked of the worker', async () => {
  const compaction = { create: () => ({ preview: () => ({ hidden: 7, kept: 1, tokensBefore: 9, tokensAfter: 2 }) }) }
  const { host } = openHosted({ agent: { compaction: compaction as never } })
  const session = host.open('s')
  expect((await session.previewCompaction()).hidden).toBe(7)
})

test('a store without locks is refused, and the page says so', async () => {
  const browser = memoryTabs()
  const { lock: _lock, ...store } = browser.open().store
  const { host } = openHosted({ browser, host: { store } })
  const session = host.open('s')
  const { error } = await until(session, ({ status }) => status === 'idle')
  expect(error).toMatchObject({ code: 'storage-unavailable', message: expect.stringContaining('hostSession') })
  await expect(session.send('Go')).rejects.toMatchObject({ code: 'storage-unavailable' })
})

test('a fork is driven by the worker too', async () => {
  const { host, workers } = openHosted({ script: () => 'Said.' })
  const session = host.open('s')
  await session.send('Go')
  const [start] = await session.checkpoints()
  if (start === undefined) throw new Error('no checkpoint')
  const fork = await session.fork(start)
  expect((await fork.send('Go')).text).toBe('Said.')
  expect(workers[0]?.model.requests.length).toBe(2)
})
