import { type ModelRequest, tool } from '@turnloop/core'
import { deafTool, deferred, manualClock, type ScriptStep } from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { effectTool, repeat, shown, until, untilAsked, untilIdle, waiting } from './session-setup.ts'
import { diskFaults, openTabs, pageOf } from './tabs-setup.ts'

const hangs = { text: 'Half a', hang: 'until-abort' } as const

/** Asks for a call that a person has to allow, and then says what became of it. */
function pays({ messages }: ModelRequest): ScriptStep {
  const last = messages.at(-1)
  return last?.role === 'tool'
    ? `It was ${last.results.at(-1)?.status}.`
    : { calls: [{ name: 'look' }, { name: 'pay' }] }
}

function payTools() {
  const { tool: pay, runs } = effectTool('pay', 'unsafe')
  const look = deafTool({ name: 'look', effect: 'read' })
  return { tools: [look, { ...pay, needsApproval: () => true }], runs, look }
}

/** Whether a message is of this kind. */
function isKind(message: unknown, ...kinds: readonly string[]): boolean {
  return kinds.some((kind) => JSON.stringify(message).includes(`"kind":"${kind}"`))
}

test('a call is approved from a follower while its turn runs', async () => {
  const { tools, runs, look } = payTools()
  const { pages } = await openTabs([pays, pays], { tools })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('Pay')
  await look.started
  const { pending } = await until(b.session, (snapshot) => snapshot.pending.length === 1)
  await b.session.approve(pending[0]?.id ?? '')
  look.release('seen')
  expect([(await turn).text, runs.length]).toEqual(['It was ok.', 1])
  await untilIdle(b.session)
  expect([a.model.requests.length, b.model.requests.length]).toEqual([2, 0])
})

test('a turn that waits is gone on with where it is decided', async () => {
  const { tools, runs, look } = payTools()
  const { disk, pages } = await openTabs([pays, pays], { tools })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  look.started.then(() => look.release('seen')).catch(() => {})
  expect((await a.session.send('Pay')).outcome.kind).toBe('awaiting')
  const { pending } = await until(b.session, ({ status, role }) => status === 'awaiting' && role === 'driver')
  await b.session.deny(pending[0]?.id ?? '', 'too dear')
  await until(a.session, ({ status, messages }) => status === 'idle' && messages.length === 4)
  expect([shown(a.session).at(-1), runs.length, b.model.requests.length]).toEqual(['assistant: It was denied.', 0, 1])
  await expect(a.session.approve(pending[0]?.id ?? '')).rejects.toMatchObject({ code: 'bad-input' })
  expect(await diskFaults(disk)).toEqual([])
})

test('a driver does a command once whose answers are lost', async () => {
  let isLossy = true
  const { pages } = await openTabs([repeat, repeat], {
    loses: (message) => isLossy && isKind(message, 'ack', 'done'),
  })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const gate = deferred()
  const running = a.session.send('one', {})
  const sent = b.session.send('two', { turnId: 'named' })
  await running
  gate.resolve()
  await until(a.session, ({ messages, status }) => messages.length === 4 && status === 'idle')
  isLossy = false
  // Nobody holds the lease any more: the follower does it over, and finds it done.
  expect([(await sent).text, b.model.requests.length]).toEqual(['You said two', 0])
  expect(a.model.requests).toHaveLength(2)
})

test('a decision that a page carried out before it died is not an error', async () => {
  const { tools, runs, look } = payTools()
  let isLossy = false
  const { pages } = await openTabs([pays, pays], {
    tools,
    loses: (message) => isLossy && isKind(message, 'ack', 'done'),
  })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('Pay').catch(() => {})
  await look.started
  const { pending } = await until(b.session, (snapshot) => snapshot.pending.length === 1)
  isLossy = true
  const approved = b.session.approve(pending[0]?.id ?? '')
  await until(b.session, () => b.session.getEntries().some(({ type }) => type === 'approval-decided'))
  await a.session.flush()
  a.tab.crash()
  await approved
  await vi.waitUntil(() => look.calls.length === 2)
  look.release('seen')
  await untilIdle(b.session)
  expect(runs.length).toBeLessThanOrEqual(1)
})

test('a follower takes back its own input, waiting or running', async () => {
  const { pages } = await openTabs([[hangs, hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  await untilAsked(b.session)
  const [second, third] = [new AbortController(), new AbortController()]
  const two = b.session.send('two', { signal: second.signal })
  const three = b.session.send('three', { signal: third.signal })
  await until(b.session, ({ queue }) => queue.length === 2)
  third.abort('never mind')
  expect((await three).outcome).toMatchObject({ kind: 'cancelled', reason: 'never mind', input: [{ text: 'three' }] })
  await b.session.cancel()
  await first
  await until(a.session, ({ status, queue }) => status === 'idle' && queue.length === 1)
  second.abort('nor that')
  expect((await two).outcome).toMatchObject({ kind: 'cancelled', reason: 'nor that' })
  expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 0])
})

test('Stop in the driver holds what a follower has sent', async () => {
  const { pages } = await openTabs([(request, index) => (index === 0 ? hangs : repeat(request)), repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  await untilAsked(b.session)
  const two = b.session.send('two')
  await until(b.session, ({ queue }) => queue.length === 1)
  await a.session.cancel()
  await first
  for (const { session } of pages) await until(session, ({ status, role }) => status === 'idle' && role === 'driver')
  await b.clock.advance(20_000)
  expect([waiting(a.session.getSnapshot()), b.model.requests.length]).toEqual([['two'], 0])
  const three = a.session.send('three')
  expect([(await two).text, (await three).outcome.kind]).toEqual(['You said two', 'completed'])
})

test('a follower renames, edits and removes', async () => {
  const { pages } = await openTabs([[{ ...hangs }, 'Done.'], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  const second = a.session.send('two')
  const third = a.session.send('three')
  const { queue } = await until(b.session, (snapshot) => snapshot.queue.length === 2)
  await b.session.rename('Trip')
  await b.session.editQueued(queue[0]?.id ?? '', 'zwei')
  await b.session.removeQueued(queue[1]?.id ?? '')
  await until(b.session, (snapshot) => waiting(snapshot).join() === 'zwei')
  expect((await third).outcome).toMatchObject({ kind: 'cancelled', reason: 'removed from the queue' })
  await b.session.cancel()
  await first
  const last = b.session.send('four')
  await Promise.all([second, last])
  await until(a.session, ({ status, title }) => status === 'idle' && title === 'Trip')
  expect(shown(a.session).filter((line) => line.startsWith('user'))).toEqual(['user: one', 'user: zwei', 'user: four'])
})

test('a named input that two tabs send is one turn', async () => {
  const { pages } = await openTabs([repeat, repeat])
  const results = await Promise.all(pages.map(({ session }) => session.send('once', { turnId: 'same' })))
  expect(results.map(({ text }) => text)).toEqual(['You said once', 'You said once'])
  expect(pages.reduce((sum, { model }) => sum + model.requests.length, 0)).toBe(1)
})

test('what a follower may not ask for is refused there as here', async () => {
  const { pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('one').catch(() => {})
  await untilAsked(b.session)
  await expect(b.session.send('two', { whenBusy: 'reject' })).rejects.toMatchObject({ code: 'session-busy' })
  await expect(b.session.approve('nothing')).rejects.toMatchObject({ code: 'bad-input' })
  const two = b.session.send('two', { whenBusy: 'replace' })
  await until(a.session, ({ messages }) => messages.some((message) => JSON.stringify(message).includes('two')))
  await b.session.close()
  await two
  await a.session.cancel()
})

test('a page that follows leaves the turn alone when it closes', async () => {
  const gate = deferred()
  const { pages } = await openTabs([[{ text: 'Done.', gate: gate.promise }], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await untilAsked(b.session)
  const mine = b.session.send('two')
  await b.session.close({ running: 'cancel' })
  expect((await mine).outcome).toMatchObject({ kind: 'cancelled', reason: 'the session was closed' })
  gate.resolve()
  expect((await turn).text).toBe('Done.')
})

test('without a lock a session says that tabs cannot share it', async () => {
  const { pages, disk } = await openTabs([repeat])
  const a = pageOf(pages, 0)
  expect(a.session.getSnapshot().storage).toEqual({ state: 'ready', waiting: 0 })
  const { openPage } = await import('./session-setup.ts')
  const alone = openPage(repeat, { store: disk })
  expect((await untilIdle(alone.session)).storage).toEqual({ state: 'ready', waiting: 0, isUnshared: true })
})

test('where locks are there and refused, everything works in one tab, and it is said', async () => {
  const { tabs } = await openTabs([])
  const { openPage } = await import('./session-setup.ts')
  const refuse = { acquire: () => Promise.reject(new Error('not here')) }
  const { session } = openPage(repeat, { store: { ...tabs.open().store, lock: refuse } })
  await untilIdle(session)
  expect((await session.send('one')).text).toBe('You said one')
  expect(session.getSnapshot().storage).toEqual({ state: 'ready', waiting: 0, isUnshared: true })
  expect((await session.send('two')).text).toBe('You said two')
})

test('with nobody to hear it a turn says four things, however long it is', async () => {
  const heard: unknown[] = []
  const { pages } = await openTabs([[{ text: 'word '.repeat(500) }]], {
    loses: (message) => {
      heard.push(message)
      return false
    },
  })
  await pageOf(pages, 0).session.send('one')
  await until(pageOf(pages, 0).session, ({ status }) => status === 'idle')
  expect(heard.length).toBeLessThanOrEqual(4)
})

test('a thousand deltas within a frame reach a follower in a few messages', async () => {
  const news: unknown[] = []
  const { pages } = await openTabs([[{ text: 'word '.repeat(1000) }], repeat], {
    clock: manualClock(),
    loses: (message) => {
      if (isKind(message, 'news')) news.push(message)
      return false
    },
  })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await a.session.send('one')
  await until(b.session, ({ messages, status }) => messages.length === 2 && status === 'idle')
  expect(shown(b.session)).toEqual(shown(a.session))
  expect(news.length).toBeLessThan(10)
})

test('a live event that cannot be copied is left out, and the rest arrives', async () => {
  const odd = tool({
    name: 'odd',
    description: 'Odd.',
    effect: 'read',
    execute(_input, { progress }) {
      // What a page without types may do.
      progress({ at: () => {} } as never)
      return 'fine'
    },
  })
  const { pages } = await openTabs([[{ calls: [{ name: 'odd' }] }, 'Done.'], repeat], { tools: [odd] })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  await a.session.send('one')
  await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 4)
  expect(b.session.getEntries()).toEqual(a.session.getEntries())
})

test('what another page takes out of a held queue is not asked after all', async () => {
  const { pages } = await openTabs([[hangs], repeat, repeat])
  const [a, b, c] = [pageOf(pages, 0), pageOf(pages, 1), pageOf(pages, 2)]
  a.session.send('one').catch(() => {})
  await untilAsked(b.session)
  const two = b.session.send('two')
  await until(b.session, ({ queue }) => queue.length === 1)
  await a.session.cancel()
  await until(c.session, ({ status, role }) => status === 'idle' && role === 'driver')
  await c.session.removeQueued(c.session.getSnapshot().queue[0]?.id ?? '')
  expect((await two).outcome).toMatchObject({ kind: 'cancelled', input: [{ text: 'two' }] })
  expect(pages.map(({ model }) => model.requests.length)).toEqual([1, 0, 0])
})
