import { type AgentOptions, autoCompaction, createAgent, MemoryStore, type Snapshot, tool } from '@turnloop/core'
import { deafTool, manualClock, type ScriptedReply, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { countListeners } from './listener-count.ts'
import { counter, lastResults, obedientTool, outline } from './loop-setup.ts'
import { watchRejections } from './matrix-points.ts'
import { openPage, shown, until, untilIdle } from './session-setup.ts'
import { idle } from './turn-setup.ts'

const asks = (name: string): ScriptedReply => ({ calls: [{ name }] })

/** A tool that sleeps 100 ms on the page's clock, and what it heard of its signal. */
function sleeper(clock: ReturnType<typeof manualClock>) {
  const heard: unknown[] = []
  const sleep = tool({
    name: 'sleep',
    description: 'Sleeps 100 ms',
    execute: (_input, { signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => heard.push(signal.reason), { once: true })
        clock.setTimer(() => resolve('Slept.'), 100)
      }),
  })
  return { sleep, heard }
}

describe('E1: Stop at 20 ms of a tool that sleeps 100 ms', () => {
  test.each([0, 800])('asks the model nothing more in 500 ms, grace %i ms', async (graceMs) => {
    const clock = manualClock()
    const { sleep, heard } = sleeper(clock)
    const { session, model } = openPage([asks('sleep')], { clock, tools: [sleep], graceMs })
    const turn = session.send('Sleep')
    await until(session, ({ activity }) => activity?.kind === 'tools')
    await clock.advance(20)
    const stopping = session.cancel('enough')
    expect([heard, session.getSnapshot().status]).toEqual([['enough'], 'cancelling'])
    await clock.advance(500)
    await stopping
    expect([(await turn).outcome.kind, model.requests.length]).toEqual(['cancelled', 1])
  })

  test('ends within one task where the tool obeys', async () => {
    const wait = obedientTool('wait')
    const { session, model } = openPage([asks('wait')], { tools: [wait.tool] })
    const turn = session.send('Wait')
    await wait.started
    session.cancel().catch(() => {})
    await idle()
    expect([session.getSnapshot().status, (await turn).outcome.kind, model.requests.length]).toEqual([
      'idle',
      'cancelled',
      1,
    ])
  })
})

test('E2: a tool that never returns keeps no session running past its grace', async () => {
  const clock = manualClock()
  const deaf = deafTool()
  const { session } = openPage([asks('deaf'), 'And on.'], { clock, tools: [deaf], graceMs: 250 })
  const turn = session.send('Wait')
  await deaf.started
  const stopping = session.cancel()
  await clock.advance(250)
  await stopping
  const [result] = lastResults(await turn)
  expect([session.getSnapshot().status, result?.status]).toEqual(['idle', 'unknown'])
  expect((await session.send('Go on')).text).toBe('And on.')
})

describe('E4: Stop in a function of the host is one typed outcome', () => {
  const reasons: [string, unknown][] = [
    ['no reason', undefined],
    ['an error', new Error('bye')],
    ['text', 'text'],
    ['a time limit', new DOMException('The operation timed out.', 'TimeoutError')],
  ]
  const hosts: [string, (hang: () => Promise<never>) => Partial<AgentOptions>][] = [
    ['instructions', (hang) => ({ instructions: hang })],
    ['a tool list', (hang) => ({ tools: [{ list: hang }] })],
    ['compaction.when', (hang) => ({ compaction: autoCompaction({ when: hang }) })],
    ['repairToolCall', (hang) => ({ repairToolCall: hang })],
  ]
  const cells = hosts.flatMap(([host, options]) => reasons.map(([name, reason]) => ({ host, options, name, reason })))

  test.each(cells)('$name, in $host', async ({ options, reason }) => {
    const rejections = watchRejections()
    const controller = new AbortController()
    const model = scriptedModel([asks('nobody')])
    const hang = (): Promise<never> => {
      controller.abort(reason)
      return new Promise(() => {})
    }
    const agent = createAgent({ model, graceMs: 1, ...options(hang) })
    const { outcome } = await agent.turn('Go', { signal: controller.signal }).untilDone()
    await idle()
    rejections.stop()
    expect([outcome.kind, rejections.seen, model.requests.length < 2]).toEqual(['cancelled', [], true])
    if (reason instanceof Error) expect(JSON.stringify(outcome)).toContain(reason.message)
  })
})

describe('E5: after Stop', () => {
  /** What is on the disk of a page: the kinds of ends, and the conversation as a new page shows it. */
  async function reloaded(store: MemoryStore): Promise<{ ends: number; snapshot: Snapshot; lines: string[] }> {
    const ends = (await store.read('s')).filter(({ type }) => type === 'turn-ended').length
    const { session } = openPage([], { store })
    const snapshot = await until(session, ({ status }) => status !== 'loading')
    return { ends, snapshot, lines: shown(session) }
  }

  test('at the fourth of ten deltas, the text so far is saved', async () => {
    const store = new MemoryStore()
    const text = 'one two three four five six seven eight nine ten'
    let deltas = 0
    const { session } = openPage([{ text }], {
      store,
      beforeEvent: ({ type }) => {
        if (type === 'text-delta') deltas += 1
      },
    })
    const turn = session.send('Count')
    for await (const event of session.events()) {
      if (event.type === 'text-delta' && deltas >= 4) break
    }
    await session.cancel()
    const { text: partial } = await turn
    expect(text.startsWith(partial) && partial.length > 0 && partial.length < text.length).toBe(true)
    const { ends, snapshot, lines } = await reloaded(store)
    expect([ends, snapshot.status, snapshot.open, lines]).toEqual([
      1,
      'idle',
      undefined,
      ['user: Count', `assistant: ${partial}`],
    ])
    expect(snapshot.messages.at(-1)).toMatchObject({ partial: true, stopReason: 'cancelled' })
  })

  test('during a tool, nothing is left running', async () => {
    const store = new MemoryStore()
    const wait = obedientTool('wait')
    const { session } = openPage([asks('wait')], { store, tools: [wait.tool] })
    const turn = session.send('Wait')
    await wait.started
    await session.cancel()
    await turn
    const { ends, snapshot } = await reloaded(store)
    expect([ends, snapshot.status, snapshot.turn, snapshot.activity]).toEqual([1, 'idle', undefined, undefined])
    expect([...snapshot.calls.values()].map(({ state, result }) => [state, result?.status])).toEqual([
      ['settled', 'cancelled'],
    ])
  })
})

test('E7: one signal for every message of a session is let go of each time', async () => {
  const { signal } = new AbortController()
  const count = countListeners(signal)
  const tick = counter('tick')
  const calls = [{ name: 'tick' }, { name: 'tick' }]
  const { session } = openPage((_request, index) => (index % 4 === 3 ? 'Done.' : { calls }), { tools: [tick.tool] })
  for (let turn = 0; turn < 20; turn += 1) {
    await session.send(`turn ${turn}`, { signal })
    expect(count.now).toBe(0)
  }
  expect([tick.runs, count.most <= 1]).toEqual([120, true])
})

test('E9: a message sent in the tick of Stop can be stopped at its first delta', async () => {
  const script = [{ text: 'one', hang: 'until-abort' }, { text: 'two', hang: 'until-abort' }, 'Fine.'] as const
  const { session } = openPage(script)
  const saidBy = (word: string) => (snapshot: Snapshot) => JSON.stringify(snapshot.open ?? '').includes(word)
  const first = session.send('a')
  await until(session, saidBy('one'))
  const stopping = session.cancel()
  const second = session.send('b')
  await until(session, saidBy('two'))
  await Promise.all([stopping, session.cancel()])
  expect([(await first).outcome.kind, (await second).outcome.kind]).toEqual(['cancelled', 'cancelled'])
  expect((await session.send('c')).text).toBe('Fine.')
})

test('E9: control: Stop after the end and Stop twice change nothing', async () => {
  const { session, model } = openPage(['Hello.', { text: 'Half', hang: 'until-abort' }, 'Again.'])
  await session.send('Hi')
  const before = session.getSnapshot().messages
  await Promise.all([session.cancel(), session.cancel()])
  expect([session.getSnapshot().status, session.getSnapshot().messages]).toEqual(['idle', before])
  const turn = session.send('More')
  await until(session, ({ open }) => open !== undefined)
  await Promise.all([session.cancel('first'), session.cancel('second')])
  expect((await turn).outcome).toMatchObject({ kind: 'cancelled', reason: 'first' })
  await untilIdle(session)
  expect([(await session.send('Still?')).text, model.requests.length]).toEqual(['Again.', 3])
  expect(outline(session.getSnapshot().messages).slice(0, 2)).toEqual(['user: Hi', 'assistant: Hello.'])
})
