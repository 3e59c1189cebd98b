import { createAgent, MemoryStore, openSession, type PendingRequest, type Session, tool } from '@turnloop/core'
import { deferred, manualClock, memoryTabs, scriptedModel } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { after, answer, cutDisk, effects, openCut, settled } from './cut-setup.ts'
import { type FaultyStore, faultyStore, hang } from './faulty-store.ts'
import { callerOf } from './nested-setup.ts'
import { logFaults, openPage, type PageOptions, until, untilIdle } from './session-setup.ts'
import { openTab } from './tabs-setup.ts'

const ask = { onUnknownOutcome: 'ask' } as const

/** What a session asks about a call that is in doubt. */
async function doubtIn(session: Session): Promise<PendingRequest> {
  const { pending } = await until(session, ({ status }) => status === 'awaiting')
  const [request] = pending
  if (request === undefined) throw new Error('Nothing is asked.')
  return request
}

async function openDoubt(options: PageOptions = {}) {
  const page = openCut(await cutDisk(after('tool-started', 'pay')), { ...ask, ...options })
  return { ...page, request: await doubtIn(page.session) }
}

test('an unsafe call in doubt is asked about, and does not run meanwhile', async () => {
  const { request, effects: ran, model } = await openDoubt()
  expect(request).toMatchObject({ ask: 'outcome', toolName: 'pay', attempt: 1, input: {} })
  expect([ran.pay.runs, model.requests.length]).toEqual([[], 0])
})

test('what a person says came of it is the result', async () => {
  const { session, request, effects: ran } = await openDoubt()
  await session.answer(request.id, 'Paid 12.50')
  await untilIdle(session)
  expect([settled(session.getEntries()).at(-1), ran.pay.runs]).toEqual(['pay ok', []])
  expect(JSON.stringify(session.getSnapshot().messages)).toContain('Paid 12.50')
})

test('a call that a person says never happened runs, under the same key', async () => {
  const { session, request, effects: ran } = await openDoubt()
  await session.approve(request.id)
  await untilIdle(session)
  const starts = session.getEntries().flatMap((entry) => (entry.type === 'tool-started' ? [entry] : []))
  const [first, second] = starts.filter(({ toolName }) => toolName === 'pay')
  expect([second?.attempt, second?.idempotencyKey]).toEqual([2, first?.idempotencyKey])
  expect([settled(session.getEntries()).at(-1), ran.pay.runs.length]).toEqual(['pay ok', 1])
})

test('a call that nobody knows about stays unknown, with what was said', async () => {
  const { session, request, model } = await openDoubt()
  await session.deny(request.id, 'The bank is closed')
  await untilIdle(session)
  expect(settled(session.getEntries()).at(-1)).toBe('pay unknown')
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('The bank is closed')
})

test('the question survives a reload, and is asked once', async () => {
  const disk = await cutDisk(after('tool-started', 'pay'))
  const first = await doubtIn(openCut(disk, ask).session)
  const page = openCut(disk, ask)
  expect((await doubtIn(page.session)).id).toBe(first.id)
  await page.session.answer(first.id, 'Paid')
  await untilIdle(page.session)
  const asked = page.session.getEntries().filter(({ type }) => type === 'approval-requested')
  expect([asked.length, logFaults(page.session.getEntries())]).toEqual([1, []])
})

test('what was allowed once does not allow the next doubt', async () => {
  const disk = await cutDisk(after('tool-started', 'pay'))
  const store = faultyStore(disk)
  const world = effects()
  const hangs = tool({ name: 'pay', description: 'pay', execute: () => new Promise(() => {}) })
  const first = openPage(answer, { store, tools: [world.look.tool, world.book.tool, hangs], ...ask })
  await first.session.approve((await doubtIn(first.session)).id)
  await until(first.session, ({ calls }) => [...calls.values()].at(-1)?.state === 'running')
  await first.session.flush()
  store.break('append', hang)

  const second = openPage(answer, { store: disk, tools: world.tools, ...ask })
  expect(await doubtIn(second.session)).toMatchObject({ ask: 'outcome', attempt: 2 })
  expect(world.pay.runs).toEqual([])
})

test('a follower can say what came of it', async () => {
  const tabs = memoryTabs({ disk: await cutDisk(after('tool-started', 'pay')) })
  const world = effects()
  const options = { tools: world.tools, ...ask }
  const [a, b] = [openTab(tabs, answer, options), openTab(tabs, answer, options)]
  const [request] = await Promise.all([doubtIn(b.session), doubtIn(a.session)])
  await b.session.answer(request.id, 'Paid')
  await Promise.all([untilIdle(a.session), untilIdle(b.session)])
  expect([settled(a.session.getEntries()).at(-1), world.pay.runs]).toEqual(['pay ok', []])
})

test('something else that is said leaves it unknown', async () => {
  const { session, effects: ran } = await openDoubt()
  await session.send('Never mind')
  expect([settled(session.getEntries()).at(-1), ran.pay.runs]).toEqual(['pay unknown', []])
})

test('Stop leaves it unknown', async () => {
  const { session, effects: ran } = await openDoubt()
  await session.cancel()
  expect([settled(session.getEntries()).at(-1), ran.pay.runs]).toEqual(['pay unknown', []])
})

test('it cannot be given other arguments than those it had begun with', async () => {
  const { session, request } = await openDoubt()
  await expect(session.approve(request.id, { input: { amount: 1 } })).rejects.toMatchObject({ code: 'bad-input' })
})

test('an unsafe call of an agent that runs as a tool is asked about as well', async () => {
  const store = faultyStore()
  const clock = manualClock()
  const runs: string[] = []
  const agentWith = (execute: () => unknown) => {
    const pay = tool({ name: 'pay', description: 'pay', execute })
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'Inner done.' : { calls: [{ name: 'pay' }] },
    )
    return callerOf(createAgent({ model, clock, tools: [pay] }), clock)
  }
  const begun = deferred()
  const hanging = (): Promise<never> => {
    begun.resolve()
    return new Promise(() => {})
  }
  const first = openSession({ agent: agentWith(hanging), id: 's', store, ...ask })
  first.send('Go').catch(() => {})
  await begun.promise
  await first.flush()
  store.break('append', hang)

  const second = openSession({ agent: agentWith(() => runs.push('again')), id: 's', store: store.disk, ...ask })
  const request = await doubtIn(second)
  expect([request.ask, request.path?.length, runs]).toEqual(['outcome', 1, []])
  await second.answer(request.id, 'Paid')
  await untilIdle(second)
  expect([second.getSnapshot().outcome?.kind, runs]).toEqual(['completed', []])
})

/** Lets so many appends through, and then none. */
function dyingAfter(disk: MemoryStore, appends: number): { store: FaultyStore; died: Promise<void> } {
  const store = faultyStore(disk)
  const died = new Promise<void>((resolve) => {
    store.break('append', (go) => {
      if (store.appends.length <= appends) return go()
      resolve()
      return hang(go)
    })
  })
  return { store, died }
}

const deaths = Array.from({ length: 12 }, (_, first) =>
  [0, 1, 2, 3, 4].map((second) => [first, second] as const),
).flat()

test.each(deaths)('dead after %i and %i appends, pages that ask pay once', async (one, two) => {
  const disk = new MemoryStore()
  const world = effects()
  const options = { tools: world.tools, toolExecution: 'sequential', ...ask } as const
  /** Somebody who looks at the bank's statement. */
  const decide = ({ session }: { session: Session }): (() => void) =>
    session.subscribe(() => {
      const { status, pending } = session.getSnapshot()
      const [request] = status === 'awaiting' ? pending : []
      if (request === undefined) return
      const said = world.pay.runs.length > 0 ? session.answer(request.id, 'Paid') : session.approve(request.id)
      said.catch(() => {})
    })
  const first = dyingAfter(disk, one)
  const page = openPage(answer, { store: first.store, ...options })
  const sent = page.session.send('Settle', { turnId: 'cut' })
  await Promise.race([first.died, sent.catch(() => {})])

  const second = dyingAfter(disk, two)
  const next = openPage(answer, { store: second.store, ...options })
  decide(next)
  await Promise.race([second.died, untilIdle(next.session)])

  const last = openPage(answer, { store: disk, ...options })
  decide(last)
  await untilIdle(last.session)
  if (last.session.getEntries().length > 0) expect(last.session.getSnapshot().outcome?.kind).toBe('completed')
  expect(world.pay.runs.length).toBeLessThanOrEqual(1)
  const wasAsked = settled(last.session.getEntries()).includes('pay ok')
  expect([world.pay.runs.length === 1, logFaults(last.session.getEntries())]).toEqual([wasAsked, []])
})
