import { MemoryStore, type ModelRequest, type SessionStore } from '@turnloop/core'
import { deferred, memoryTabs, type ScriptStep } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { effectTool, repeat, shown, until, untilAsked, untilIdle, waiting } from './session-setup.ts'
import { diskFaults, growing, openTab, openTabs, pageOf, type Tab } from './tabs-setup.ts'

/** A disk that calls back before and after each append. */
function watchedDisk(onAppend: (count: number, isDone: boolean) => void): SessionStore {
  const disk = new MemoryStore()
  let count = 0
  const append: SessionStore['append'] = async (...parameters) => {
    count += 1
    const at = count
    onAppend(at, false)
    await disk.append(...parameters)
    onAppend(at, true)
  }
  return new Proxy(disk, {
    get(target, name) {
      if (name === 'append') return append
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Looks and pays, then says so. */
function pays({ messages }: ModelRequest): ScriptStep {
  const last = messages.at(-1)
  return last?.role === 'tool' ? 'Paid.' : { calls: [{ name: 'look' }, { name: 'pay' }] }
}

const hangs = { text: 'Half a', hang: 'until-abort' } as const

test.each(
  [1, 2, 3, 4, 5, 6, 7, 8].flatMap(
    (count) =>
      [
        [count, false],
        [count, true],
      ] as const,
  ),
)('a turn whose page dies at append %i (written: %s) is finished by another', async (at, isDone) => {
  const [look, pay] = [effectTool('look', 'read'), effectTool('pay', 'unsafe')]
  let first: Tab | undefined
  const disk = watchedDisk((count, done) => {
    if (count === at && done === isDone) first?.tab.crash()
  })
  const { pages } = await openTabs([pays, pays], { disk, tools: [look.tool, pay.tool] })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  first = a
  a.session.send('Pay').catch(() => {})
  const isShown = (): boolean => b.session.getEntries().length > 0
  await until(b.session, ({ status }) => status === 'idle' && isShown())
  await b.session.flush()
  const stored = await disk.read('s')
  expect([await diskFaults(disk), stored]).toEqual([[], b.session.getEntries()])
  expect(stored.filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
  expect([shown(b.session).at(-1), pay.runs.length <= 1]).toEqual(['assistant: Paid.', true])
})

test('the queue of a page that dies is asked by another, in order', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  for (const word of ['one', 'two', 'three']) a.session.send(word).catch(() => {})
  await until(b.session, ({ queue, open }) => queue.length === 2 && open !== undefined)
  await a.session.flush()
  expect(waiting(b.session.getSnapshot())).toEqual(['two', 'three'])
  a.tab.crash()
  await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 6)
  expect(shown(b.session)).toEqual([
    'user: one',
    'assistant: You said one',
    'user: two',
    'assistant: You said two',
    'user: three',
    'assistant: You said three',
  ])
  expect([b.session.getSnapshot().role, await diskFaults(disk)]).toEqual(['driver', []])
})

test('what a follower sent to a page that dies is asked once, and answered', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat, repeat])
  const [a, b, c] = [pageOf(pages, 0), pageOf(pages, 1), pageOf(pages, 2)]
  a.session.send('one').catch(() => {})
  await untilAsked(c.session)
  const sent = c.session.send('two')
  await until(c.session, ({ queue }) => queue.length === 1)
  a.tab.crash()
  expect((await sent).text).toBe('You said two')
  await untilIdle(b.session)
  expect([b.model.requests.length + c.model.requests.length, await diskFaults(disk)]).toEqual([2, []])
})

test('a page that closes and leaves its turn has it finished by another', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await untilAsked(b.session)
  await a.session.close({ running: 'leave' })
  await turn
  await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 2)
  expect([shown(b.session).at(-1), await diskFaults(disk)]).toEqual(['assistant: You said one', []])
})

test('inputs that wait behind the turn of a page that closes are asked by another', async () => {
  const gate = deferred()
  const { disk, pages } = await openTabs([[{ text: 'One.', gate: gate.promise }], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  a.session.send('two').catch(() => {})
  const mine = b.session.send('three')
  await until(b.session, ({ queue }) => queue.length === 2)
  const closed = a.session.close()
  gate.resolve()
  await closed
  expect([(await first).text, (await mine).text]).toEqual(['One.', 'You said three'])
  expect(shown(b.session)).toHaveLength(6)
  expect(await diskFaults(disk)).toEqual([])
})

test('a turn that was stopped with inputs waiting is not taken up by another', async () => {
  const { disk, pages } = await openTabs([[hangs, 'Late.', 'Later.'], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const [first, second] = [a.session.send('one'), a.session.send('two')]
  await untilAsked(a.session)
  await b.session.cancel()
  expect((await first).outcome.kind).toBe('cancelled')
  await until(b.session, ({ role, status }) => role === 'driver' && status === 'idle')
  expect([waiting(b.session.getSnapshot()), waiting(a.session.getSnapshot())]).toEqual([['two'], ['two']])
  const third = await b.session.send('three')
  expect([(await second).text, third.text]).toEqual(['You said two', 'You said three'])
  expect([a.model.requests.length, await diskFaults(disk)]).toEqual([1, []])
})

test('a frozen driver that answers no command for five seconds is stolen from', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await untilAsked(b.session)
  a.tab.freeze()
  const sent = b.session.send('two')
  await b.clock.advance(4999)
  expect(b.session.getSnapshot().role).toBe('follower')
  await b.clock.advance(1)
  expect((await sent).text).toBe('You said two')
  a.tab.thaw()
  expect((await turn).text).toBe('You said one')
  await until(a.session, ({ messages, status }) => messages.length === 4 && status === 'idle')
  expect([a.session.getEntries(), await diskFaults(disk)]).toEqual([await disk.read('s'), []])
  expect([a.model.requests.length, b.model.requests.length]).toEqual([1, 2])
})

test('Stop steals from a frozen driver, and nothing is asked again', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('one').catch(() => {})
  await untilAsked(b.session)
  a.tab.freeze()
  const stopped = b.session.cancel('enough')
  await b.clock.advance(5000)
  await stopped
  const { outcome } = await untilIdle(b.session)
  expect([outcome, b.model.requests.length]).toMatchObject([{ kind: 'cancelled', reason: 'enough' }, 0])
  expect(await diskFaults(disk)).toEqual([])
})

test('a tab that opens while the driver is frozen goes on with its turn', async () => {
  const { tabs, disk, pages } = await openTabs([[hangs]])
  const a = pageOf(pages, 0)
  a.session.send('one').catch(() => {})
  await untilAsked(a.session)
  await a.session.flush()
  a.tab.freeze()
  const b = openTab(tabs)
  await until(b.session, ({ role, status }) => role === 'follower' && status === 'running')
  await b.clock.advance(5000)
  await untilIdle(b.session)
  expect([shown(b.session).at(-1), await diskFaults(disk)]).toEqual(['assistant: You said one', []])
})

test('a tab steals no more than once in thirty seconds', async () => {
  const { pages } = await openTabs([
    [hangs, hangs],
    [hangs, hangs],
  ])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  a.session.send('one').catch(() => {})
  await untilAsked(b.session)
  a.tab.freeze()
  b.session.send('two').catch(() => {})
  await b.clock.advance(5000)
  await untilAsked(b.session)
  expect(b.session.getSnapshot().role).toBe('driver')
  // Now the other takes it back, and freezes with it.
  b.tab.freeze()
  a.tab.thaw()
  a.session.send('three').catch(() => {})
  await until(a.session, ({ role }) => role === 'follower')
  await a.clock.advance(5000)
  await until(a.session, ({ role }) => role === 'driver')
  a.tab.freeze()
  b.tab.thaw()
  await until(b.session, ({ role }) => role === 'follower')
  const since = b.clock.now()
  b.session.send('four').catch(() => {})
  await b.clock.advance(24_000)
  expect(b.session.getSnapshot().role).toBe('follower')
  await b.clock.advance(6_000)
  await until(b.session, ({ role }) => role === 'driver')
  expect(b.clock.now() - since).toBe(30_000)
})

test('a driver that is told of its freezing lets go, and writes no end', async () => {
  const { disk, pages } = await openTabs([[hangs], repeat])
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const turn = a.session.send('one')
  await untilAsked(b.session)
  a.tab.freeze({ letsGo: true })
  await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 2)
  expect(shown(b.session)).toEqual(['user: one', 'assistant: You said one'])
  a.tab.thaw()
  expect((await turn).text).toBe('You said one')
  await untilIdle(a.session)
  expect([shown(a.session), await diskFaults(disk)]).toEqual([shown(b.session), []])
})

test('what an overtaken run still said is not told to those who follow the next', async () => {
  const told: string[] = []
  const loses = (message: unknown): boolean => {
    told.push(JSON.stringify(message))
    return false
  }
  const { pages } = await openTabs([[hangs, 'Two.'], repeat], { loses })
  const [a, b] = [pageOf(pages, 0), pageOf(pages, 1)]
  const first = a.session.send('one')
  await untilAsked(b.session)
  a.tab.freeze({ letsGo: true })
  a.tab.thaw()
  const { turnId } = await first
  await untilIdle(b.session)
  told.length = 0
  expect((await a.session.send('two')).text).toBe('Two.')
  await untilIdle(b.session)
  expect(told.filter((message) => message.includes('"kind":"news"') && message.includes(turnId))).toEqual([])
})

test('entries that a driver could not save are saved by the page that saw them', async () => {
  const tabs = memoryTabs()
  const broken = tabs.open()
  const refuse = async (): Promise<never> => {
    throw new Error('no disk here')
  }
  const a = openTab(tabs, ['Half.', hangs], { store: { ...broken.store, append: refuse } })
  const b = openTab(tabs)
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  await a.session.send('one')
  a.session.send('two').catch(() => {})
  await until(b.session, ({ messages, open }) => messages.length === 3 && open !== undefined)
  expect([growing(b), b.session.getSnapshot().storage.state]).toEqual(['', 'blocked'])
  broken.crash()
  await until(b.session, ({ status, messages }) => status === 'idle' && messages.length === 4)
  await b.session.flush()
  expect(shown(b.session)).toEqual(['user: one', 'assistant: Half.', 'user: two', 'assistant: You said two'])
  expect([await tabs.disk.read('s'), await diskFaults(tabs.disk)]).toEqual([b.session.getEntries(), []])
})
