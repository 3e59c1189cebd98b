import {
  type AgentOptions,
  agentTool,
  createAgent,
  createMemoryLog,
  type Entry,
  type Tool,
  ToolRunner,
  type TurnEvent,
  tool,
} from '@turnloop/core'
import { deferred, manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { decided, guarded, pendingOf, wipeCall } from './approvals-setup.ts'
import { collect, lastResultTexts, outline } from './loop-setup.ts'

/** A turn that waits, as its log; and that log gone on with by another life of the page, with other tools. */
async function lives(script: Parameters<typeof scriptedModel>[0], options: Partial<AgentOptions>) {
  const clock = manualClock()
  const log = createMemoryLog(clock)
  const model = scriptedModel(script)
  await new ToolRunner(createAgent({ model, clock, ...options }).parts(log), 'Go').untilDone()
  const [request] = log.entries.flatMap((entry) => (entry.type === 'approval-requested' ? [entry] : []))
  const turnId = log.entries[0]?.turnId ?? ''
  return {
    log,
    model,
    request,
    decide: (allow: boolean, id = request?.id ?? '') =>
      log.append({ turnId, type: 'approval-decided', id, allow, by: 'user' }),
    goOn: (next: Partial<AgentOptions>) =>
      ToolRunner.from(createAgent({ model, clock, ...options, ...next }).parts(log), [...log.entries]).untilDone(),
  }
}

function results(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => (entry.type === 'tool-settled' ? [`${entry.toolName} ${entry.status}`] : []))
}

describe('a decision', () => {
  test('goes on with a result once', async () => {
    const { wipe, deeds } = guarded()
    const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.', 'Done.'])
    const result = await createAgent({ model, tools: [wipe] })
      .turn('Go')
      .untilDone()
    await decided(result, { allow: true })
    await expect(decided(result, { allow: true })).rejects.toMatchObject({ code: 'already-consumed' })
    expect(deeds).toHaveLength(1)
  })

  test('is heard once: what is said later of the same call changes nothing', async () => {
    const { wipe, deeds } = guarded()
    const life = await lives([{ calls: [wipeCall()] }, 'Done.'], { tools: [wipe] })
    life.decide(false)
    life.decide(true)
    await life.goOn({})
    expect([deeds, results(life.log.entries)]).toEqual([[], ['wipe denied']])
  })

  test('a denial counts where the tool asks nobody any more', async () => {
    const { wipe } = guarded()
    const free = guarded({ needsApproval: false })
    const life = await lives([{ calls: [wipeCall()] }, 'Done.'], { tools: [wipe] })
    life.decide(false)
    await life.goOn({ tools: [free.wipe] })
    expect([free.deeds, results(life.log.entries)]).toEqual([[], ['wipe denied']])
  })

  test('a denial counts where the tool is gone', async () => {
    const life = await lives([{ calls: [wipeCall()] }, 'Done.'], { tools: [guarded().wipe] })
    life.decide(false)
    await life.goOn({ tools: [] })
    expect(results(life.log.entries)).toEqual(['wipe denied'])
  })

  test('counts for the tool that was shown, not for another with equal arguments', async () => {
    const { wipe } = guarded()
    const other = guarded({ name: 'burn' })
    const call = { calls: [{ name: 'whipe', input: { draft: 'a' } }] }
    const to = (toolName: string): Partial<AgentOptions> => ({
      tools: [wipe, other.wipe],
      repairToolCall: () => ({ toolName }),
    })
    const life = await lives([call, 'Done.'], to('wipe'))
    life.decide(true)
    const end = await life.goOn(to('burn'))
    expect([other.deeds, pendingOf(end)]).toMatchObject([[], [{ toolName: 'burn' }]])
  })

  test('to allow is none where the tool wants fields or an answer by now', async () => {
    for (const change of [{ askUser: ['draft'] }, { execute: undefined }]) {
      const { execute, ...rest } = { execute: () => 'x', ...change }
      const deeds: unknown[] = []
      const run = execute && { execute: (input: unknown) => void deeds.push(input) }
      const changed = tool({ name: 'wipe', description: 'w', input: z.object({ draft: z.string() }), ...rest, ...run })
      const life = await lives([{ calls: [wipeCall()] }, 'Done.'], { tools: [guarded().wipe] })
      life.decide(true)
      const end = await life.goOn({ tools: [changed] })
      expect([deeds, pendingOf(end)]).toMatchObject([[], [{ ask: execute ? 'fields' : 'answer' }]])
    }
  })

  test('that is missing is not made up by a condition that changes its mind', async () => {
    let asks = true
    const { wipe, deeds } = guarded({ needsApproval: () => asks })
    const life = await lives([{ calls: [wipeCall('a'), wipeCall('b')] }, 'Done.'], { tools: [wipe] })
    asks = false
    life.decide(true)
    expect([pendingOf(await life.goOn({})), deeds]).toMatchObject([[{ input: { draft: 'b' } }], [{ draft: 'a' }]])
  })
})

test('the events of the run that goes on begin with the decision', async () => {
  const { wipe } = guarded()
  const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.'])
  const heard: string[] = []
  const onEvent = ({ type }: TurnEvent): void => void heard.push(type)
  const result = await createAgent({ model, tools: [wipe] })
    .turn('Go', { onEvent })
    .untilDone()
  const before = heard.length
  const next = result.resume?.([{ id: pendingOf(result)[0]?.id ?? '', allow: true }])
  const [first] = next === undefined ? [] : await collect(next.events())
  expect([first?.type, heard[before]]).toEqual(['approval-decided', 'approval-decided'])
})

test('the signal that a turn was given stops the run that goes on as well', async () => {
  const { wipe, deeds } = guarded()
  const host = new AbortController()
  const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.'])
  const result = await createAgent({ model, tools: [wipe] })
    .turn('Go', { signal: host.signal })
    .untilDone()
  host.abort('enough')
  expect([(await decided(result, { allow: true })).outcome.kind, deeds]).toEqual(['cancelled', []])
})

describe('between the last thing that runs and the pause', () => {
  /** A turn whose reader stands still once people are asked, and what it does then. */
  async function standing(act: (runner: ToolRunner, id: string) => unknown) {
    const { wipe, deeds } = guarded()
    const model = scriptedModel([{ calls: [wipeCall()] }, 'Done.'])
    const runner = createAgent({ model, tools: [wipe], clock: manualClock() }).turn('Go')
    const kinds: string[] = []
    for await (const event of runner.events()) {
      kinds.push(event.type)
      if (event.type !== 'approval-requested') continue
      // The batch is over by then, and its pause is not written.
      await new Promise((resolve) => setTimeout(resolve))
      act(runner, event.id)
    }
    return { runner, deeds, kinds }
  }

  test('a decision is heard', async () => {
    const { runner, deeds, kinds } = await standing((turn, id) => turn.decide({ id, allow: true }))
    expect([runner.outcome?.kind, deeds.length, kinds.includes('turn-paused')]).toEqual(['completed', 1, false])
  })

  test('Stop is heard', async () => {
    const { runner, deeds, kinds } = await standing((turn) => turn.cancel())
    expect([runner.outcome?.kind, deeds, kinds.at(-1)]).toEqual(['cancelled', [], 'turn-ended'])
  })

  test('a decision of another kind, about nothing, or twice is none', async () => {
    const log: unknown[] = []
    const { kinds } = await standing((turn, id) => {
      expect(() => turn.decide({ id, allow: true, result: { content: [] } })).toThrow(/cannot be an answer/)
      log.push(turn.decide({ id: 'nobody', allow: true }), turn.decide({ id, allow: false }) === undefined)
      log.push(turn.decide({ id, allow: true }))
    })
    expect(log).toEqual([undefined, false, undefined])
    expect(kinds.filter((kind) => kind === 'approval-decided')).toHaveLength(1)
  })
})

describe('an agent whose call waits', () => {
  const ask = (name: string) => ({ name, input: { task: 'x' } })

  function nested(script: Parameters<typeof scriptedModel>[0], tools: readonly Tool[]): Tool {
    const inner = createAgent({ model: scriptedModel(script), tools, clock: manualClock() })
    return agentTool(inner, { name: 'helper', description: 'Helps' })
  }

  test('is told as stopped, not as never run, when Stop comes', async () => {
    const pay = tool({ name: 'pay', description: 'Pays', execute: () => 'paid' })
    const helper = nested([{ calls: [{ name: 'pay' }] }, { calls: [wipeCall()] }], [guarded().wipe, pay])
    const slow = tool({ name: 'slow', description: 'Slow', effect: 'read', execute: () => new Promise(() => {}) })
    const model = scriptedModel([{ calls: [ask('helper'), { name: 'slow' }] }])
    const runner = createAgent({ model, tools: [helper, slow], graceMs: 40 }).turn('Go')
    for await (const event of runner.events()) if (event.type === 'turn-paused') setTimeout(() => runner.cancel())
    const { messages } = await runner.untilDone()
    expect(outline(messages).at(-1)).toBe('tool: cancelled, unknown')
  })

  test('is told as stopped when Stop comes after the pause', async () => {
    const life = await lives([{ calls: [ask('helper')] }], {
      tools: [nested([{ calls: [wipeCall()] }], [guarded().wipe])],
    })
    const agent = createAgent({ model: life.model, tools: [nested([], [guarded().wipe])] })
    await ToolRunner.from(agent.parts(life.log), [...life.log.entries], { signal: AbortSignal.abort('x') }).untilDone()
    expect(results(life.log.entries)).toContain('helper cancelled')
  })

  test('keeps those behind it waiting, one by one', async () => {
    const order: string[] = []
    const look = tool({ name: 'look', description: 'Looks', effect: 'read', execute: () => void order.push('look') })
    const helper = nested([{ calls: [wipeCall()] }, 'Inner.'], [guarded().wipe])
    const model = scriptedModel([{ calls: [ask('helper'), { name: 'look' }] }, 'Done.'])
    const agent = createAgent({ model, tools: [helper, look], toolExecution: 'sequential' })
    const result = await agent.turn('Go').untilDone()
    expect([order, pendingOf(result).length]).toEqual([[], 1])
    await decided(result, { allow: true })
    expect([order, lastResultTexts(model.requests[1])[0]]).toEqual([['look'], 'Inner.'])
  })

  test('goes on at once with a decision that came while it had other work', async () => {
    const { wipe, deeds } = guarded()
    const gates = [deferred<string>(), deferred<string>()] as const
    const slow = (at: 0 | 1): Tool =>
      tool({ name: 'slow', description: 'Slow', effect: 'read', execute: () => gates[at].promise })
    const helper = nested([{ calls: [wipeCall(), { name: 'slow' }] }, 'Inner.'], [wipe, slow(0)])
    const model = scriptedModel([{ calls: [ask('helper'), { name: 'slow' }] }, 'Done.'])
    const runner = createAgent({ model, tools: [helper, slow(1)] }).turn('Go')
    const kinds: string[] = []
    for await (const event of runner.events()) {
      kinds.push(event.type)
      if (event.type === 'approval-requested') {
        runner.decide({ id: event.id, allow: true })
        setTimeout(() => gates[0].resolve('slow'))
      }
      if (event.type === 'tool-settled' && event.toolName === 'wipe') gates[1].resolve('slower')
    }
    expect([runner.outcome?.kind, deeds.length, kinds.at(-1)]).toEqual(['completed', 1, 'turn-ended'])
  })
})
