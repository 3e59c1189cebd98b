import {
  agentTool,
  createAgent,
  type Entry,
  MemoryStore,
  openSession,
  type Session,
  type Tool,
  type TurnResult,
} from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { decided, guarded, pendingOf, wipeCall } from './approvals-setup.ts'
import { outline } from './loop-setup.ts'
import { settled } from './matrix-points.ts'
import { logFaults, until, untilIdle } from './session-setup.ts'

const ask = (name: string) => ({ name, input: { task: name } })

/** Asks for the calls, then says that it is done: as the conversation stands, on whatever page. */
function worker(calls: readonly { name: string; input: { [key: string]: string } }[]) {
  return scriptedModel(({ messages }): ScriptStep => (messages.at(-1)?.role === 'tool' ? 'Done.' : { calls }))
}

/** An agent two deep: two helpers side by side, each with a worker below it whose calls people are asked about. */
function tower(wipe: Tool) {
  const clock = manualClock()
  const low = createAgent({ model: worker([wipeCall('a'), wipeCall('b')]), tools: [wipe], clock })
  const mid = createAgent({
    model: worker([ask('low'), wipeCall('c')]),
    tools: [agentTool(low, { name: 'low', description: 'Low' }), wipe],
    clock,
  })
  const helpers = ['one', 'two'].map((name) => agentTool(mid, { name, description: name }))
  return createAgent({ model: worker(['one', 'two'].map(ask)), tools: helpers, clock })
}

const awaiting = (session: Session) => until(session, ({ status }) => status === 'awaiting')

describe('agents two deep that wait side by side', () => {
  test('are asked about at once, and each call runs once, decided one by one', async () => {
    const { wipe, deeds } = guarded()
    const session = openSession({ agent: tower(wipe), store: new MemoryStore(), id: 's' })
    await session.send('Go')
    expect(
      session
        .getSnapshot()
        .pending.map(({ path }) => path?.length)
        .sort(),
    ).toEqual([1, 1, 2, 2, 2, 2])
    while (session.getSnapshot().pending.length > 0) {
      await session.approve(session.getSnapshot().pending[0]?.id ?? '')
      await settled()
    }
    await untilIdle(session)
    expect([deeds.length, session.getSnapshot().outcome?.kind]).toEqual([6, 'completed'])
    expect(session.getSnapshot().usage).toEqual((await usageOf(tower(guarded().wipe))) as object)
  })

  test('a page that dies after any entry asks for what is left, and nothing runs twice', async () => {
    const whole = new MemoryStore()
    const { wipe } = guarded()
    await runAll(openSession({ agent: tower(wipe), store: whole, id: 's' }), true)
    const log = await whole.read('s')
    for (let length = 1; length < log.length; length += 1) {
      // A start and its question are saved together.
      if (log[length - 1]?.type === 'turn-started') continue
      const { wipe: again, deeds } = guarded()
      const left = log.slice(0, length)
      const store = new MemoryStore()
      await store.append('s', left)
      const session = openSession({ agent: tower(again), store, id: 's' })
      await runAll(session, false)
      const before = left.filter((entry) => entry.type === 'tool-started' && entry.toolName === 'wipe').length
      const { status, outcome } = session.getSnapshot()
      expect([length, status, outcome?.kind, before + deeds.length]).toEqual([length, 'idle', 'completed', 6])
    }
  })

  test('Stop ends all of their turns, and nothing runs', async () => {
    const { wipe, deeds } = guarded()
    const store = new MemoryStore()
    const session = openSession({ agent: tower(wipe), store, id: 's' })
    await session.send('Go')
    await session.cancel()
    const log = session.getEntries()
    expect([deeds, ends(log)]).toEqual([[], Array.from({ length: 5 }, () => 'cancelled')])
    expect(logFaults(log.filter(({ path }) => path === undefined)).filter((fault) => fault.includes('end'))).toEqual([])
    expect(outline(session.getSnapshot().messages).at(-1)).toBe('tool: cancelled, cancelled')
  })

  test('something else sent ends all of their turns, and nothing runs', async () => {
    const { wipe, deeds } = guarded()
    const session = openSession({ agent: tower(wipe), store: new MemoryStore(), id: 's' })
    await session.send('Go')
    const sent = session.send('Never mind')
    await awaiting(session)
    await settled()
    const denied = session.getEntries().filter((entry) => entry.type === 'tool-settled' && entry.status === 'denied')
    expect([deeds, ends(session.getEntries()).length, denied.length]).toEqual([[], 5, 6])
    await session.cancel()
    expect((await sent).outcome.kind).toBe('awaiting')
  })
})

function ends(log: readonly Entry[]): string[] {
  return log.flatMap((entry) => (entry.type === 'turn-ended' ? [entry.outcome.kind] : []))
}

async function usageOf(agent: ReturnType<typeof tower>): Promise<unknown> {
  let result = await agent.turn('Go').untilDone()
  while (result.outcome.kind === 'awaiting') {
    const next = result.resume?.(pendingOf(result).map(({ id }) => ({ id, allow: true })))
    if (next === undefined) break
    result = await next.untilDone()
  }
  return result.usage
}

async function runAll(session: Session, isNew: boolean): Promise<void> {
  if (isNew) await session.send('Go')
  await settled()
  for (let round = 0; round < 12 && session.getSnapshot().pending.length > 0; round += 1) {
    for (const { id } of session.getSnapshot().pending) session.approve(id).catch(() => {})
    await settled()
  }
}

test('a pause has no clock: the time limit of the turn begins anew with the run that goes on', async () => {
  const clock = manualClock()
  const { wipe, deeds } = guarded()
  const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.'])
  const agent = createAgent({ model, tools: [wipe], clock, timeouts: { turnMs: 100 } })
  const result = await agent.turn('Go').untilDone()
  expect(clock.pending).toBe(0)
  await clock.advance(1000)
  expect([(await decided(result, { allow: true })).outcome.kind, deeds.length, clock.pending]).toEqual([
    'completed',
    1,
    0,
  ])
})

test('usage and iterations of several runs are counted once', async () => {
  const { wipe } = guarded()
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  const model = scriptedModel([
    { calls: [wipeCall('a'), wipeCall('b')], usage },
    { text: 'Done.', usage },
  ])
  const first: TurnResult<unknown> = await createAgent({ model, tools: [wipe] })
    .turn('Go')
    .untilDone()
  const second = await decided(first, { allow: true })
  const last = await decided(second, { allow: true })
  expect([last.usage, last.iterations]).toMatchObject([{ inputTokens: 20, totalTokens: 30 }, 1])
})

test('a turn without history that waited joins no later transcript', async () => {
  const { wipe } = guarded()
  const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.', 'Next.'])
  const agent = createAgent({ model, tools: [wipe], history: false, clock: manualClock() })
  const store = new MemoryStore()
  const first = openSession({ agent, store, id: 's' })
  await first.send('Apart')
  await first.close()
  const session = openSession({ agent, store, id: 's' })
  await awaiting(session)
  await session.approve(session.getSnapshot().pending[0]?.id ?? '')
  await untilIdle(session)
  session.setAgent(agent.with({ history: true }))
  await session.send('Together')
  expect(outline(model.requests[1]?.messages ?? [])).toEqual(['user: Apart', 'assistant: ', 'tool: ok'])
  expect(outline(model.requests[2]?.messages ?? [])).toEqual(['user: Together'])
})
