import {
  type Agent,
  agentTool,
  createAgent,
  createMemoryLog,
  type Entry,
  resultText,
  structured,
  type Tool,
  ToolRunner,
  tool,
} from '@turnloop/core'
import { type ManualClock, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { echo, lastResults, obedientTool, outline, say } from './loop-setup.ts'
import { askHelper, callerOf, described } from './nested-setup.ts'

describe('a turn that was stopped inside an agent and then cut', () => {
  /** Stop while the inner tool runs; all of the log, in the order it came. */
  async function stoppedLog(inner: (clock: ManualClock) => Agent, started: Promise<void>): Promise<readonly Entry[]> {
    const clock = manualClock()
    const log = createMemoryLog(clock)
    const runner = new ToolRunner(callerOf(inner(clock), clock).parts(log), 'Go')
    const done = runner.untilDone()
    await started
    runner.cancel()
    await done
    return log.entries
  }

  test('is brought to its end as cancelled, and no model is asked', async () => {
    const slow = obedientTool('slow')
    const make = (clock: ManualClock): Agent =>
      createAgent({ model: scriptedModel([{ calls: [{ name: 'slow' }] }]), clock, tools: [slow.tool] })
    const entries = await stoppedLog(make, slow.started)
    const first = entries.findIndex((entry) => entry.type === 'tool-settled' && entry.path !== undefined) + 1
    const last = entries.findIndex((entry) => entry.type === 'tool-settled' && entry.path === undefined)
    expect([first, last].every((at) => at > 0)).toBe(true)
    for (let cut = first; cut <= last; cut += 1) {
      const clock = manualClock()
      const copy = createMemoryLog(clock)
      copy.append(...entries.slice(0, cut))
      const model = scriptedModel([])
      const agent = createAgent({ model, clock, tools: [agentTool(make(clock), described)] })
      const { outcome } = await ToolRunner.from(agent.parts(copy), copy.entries.slice()).untilDone()
      expect([cut, outcome.kind, model.requests.length]).toEqual([cut, 'cancelled', 0])
    }
  })
})

describe('a turn that goes on with other tools than it was cut with', () => {
  const pay = (deeds: string[]): Tool =>
    tool({ name: 'pay', description: 'Pays', execute: () => void deeds.push('pay') })
  const look = tool({ name: 'look', description: 'Looks', effect: 'read', execute: () => 'seen' })

  /** What the outer model reads when the turn was cut while the agent inside paid. */
  async function goOn(tools: (clock: ManualClock, deeds: string[]) => Tool[]): Promise<string[]> {
    const clock = manualClock()
    const deeds: string[] = []
    const payer = (): Agent =>
      createAgent({ model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'Paid.']), clock, tools: [pay(deeds)] })
    const log = createMemoryLog(clock)
    await new ToolRunner(callerOf(payer(), clock).parts(log), 'Go').untilDone()
    const cut = log.entries.findIndex((entry) => entry.type === 'tool-started' && entry.toolName === 'pay') + 1
    const copy = createMemoryLog(clock)
    copy.append(...log.entries.slice(0, cut))
    const model = scriptedModel(['Done.'])
    const agent = createAgent({ model, clock, tools: tools(clock, deeds) })
    const { outcome } = await ToolRunner.from(agent.parts(copy), copy.entries.slice()).untilDone()
    expect([outcome.kind, deeds]).toEqual(['completed', ['pay']])
    return lastResults(model.requests[0]).map(({ status, result }) => `${status}: ${resultText(result)}`)
  }

  test('without that agent', async () => {
    expect((await goOn(() => [look]))[0]).toMatch(/^unknown: The page went away/)
  })

  test('with that agent under another name', async () => {
    const other = (clock: ManualClock): Tool =>
      agentTool(createAgent({ model: scriptedModel([]), clock }), { ...described, name: 'other' })
    expect((await goOn((clock) => [other(clock)]))[0]).toMatch(/^unknown: The page went away/)
  })

  test('with an agent that has lost its tool', async () => {
    const inner = (clock: ManualClock): Agent => createAgent({ model: scriptedModel(['Odd.']), clock, tools: [look] })
    expect(await goOn((clock) => [agentTool(inner(clock), described)])).toEqual(['ok: Odd.'])
  })

  test('with an ordinary tool in its place', async () => {
    const plain = tool({
      name: 'helper',
      description: 'Helps',
      input: z.object({ task: z.string() }),
      execute: () => 'x',
    })
    expect((await goOn(() => [plain]))[0]).toMatch(/^unknown: The page went away/)
  })
})

test('a transcript that an agent was given is still there after a crash', async () => {
  const clock = manualClock()
  const build = () => {
    const model = scriptedModel(({ messages }) => (messages.length > 2 ? 'Known.' : { calls: [say('x')] }))
    const inner = createAgent({ model, clock, tools: [echo] })
    const helper = agentTool(inner, {
      ...described,
      toInput: () => [
        { id: 'a', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Before' }] },
        { id: 'b', role: 'assistant', createdAt: 0, content: [{ type: 'text', text: 'Yes.' }], stopReason: 'endTurn' },
        { id: 'c', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Now' }] },
      ],
    })
    const outer = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : askHelper))
    return { model, agent: createAgent({ model: outer, clock, tools: [helper] }) }
  }
  const first = build()
  const log = createMemoryLog(clock)
  await new ToolRunner(first.agent.parts(log), 'Go').untilDone()
  const cut = log.entries.findIndex((entry) => entry.type === 'message' && entry.path !== undefined) + 1
  const second = build()
  const copy = createMemoryLog(clock)
  copy.append(...log.entries.slice(0, cut))
  await ToolRunner.from(second.agent.parts(copy), copy.entries.slice()).untilDone()
  expect(outline(second.model.requests[0]?.messages ?? [])).toEqual(['user: Before', 'assistant: Yes.', 'user: Now'])
})

test('a structured answer is the same after a crash between its end and that of its call', async () => {
  const clock = manualClock()
  const build = (): Agent => {
    const model = scriptedModel(['{"at":"5"}'], { capabilities: { structuredOutput: true } })
    const output = structured(z.object({ at: z.string().transform(Number) }))
    return callerOf(createAgent({ model, clock, output }), clock)
  }
  const log = createMemoryLog(clock)
  await new ToolRunner(build().parts(log), 'Go').untilDone()
  const cut = log.entries.findIndex((entry) => entry.type === 'turn-ended' && entry.path !== undefined) + 1
  const copy = createMemoryLog(clock)
  copy.append(...log.entries.slice(0, cut))
  await ToolRunner.from(build().parts(copy), copy.entries.slice()).untilDone()
  const results = [log, copy].map(({ entries }) =>
    entries.find((entry) => entry.type === 'tool-settled' && entry.path === undefined),
  )
  for (const result of results) expect(result).toMatchObject({ result: { structuredContent: { at: '5' } } })
})
