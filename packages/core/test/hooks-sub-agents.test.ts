import { agentTool, createAgent, defineHooks } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { denier, hookEvents, runHooked, runTurn } from './hooks-setup.ts'
import { lastResults, lastResultTexts } from './loop-setup.ts'

describe('sub-agents', () => {
  const inner = (hooks: Parameters<typeof defineHooks>[0], script: Parameters<typeof scriptedModel>[0] = ['Inner.']) =>
    createAgent({ name: 'inner', model: scriptedModel(script), clock: manualClock(), hooks: defineHooks(hooks) })
  const described = { name: 'helper', description: 'Helps' }
  const script = [{ calls: [{ name: 'helper', input: { task: 'bad task' } }] }, 'Done.']

  test('have hooks of their own, and a block there is an error result here', async () => {
    const helper = agentTool(inner({ preHooks: [denier('bad')] }), described)
    const { model, result } = await runHooked(script, {}, { tools: [helper] })

    expect(result.outcome).toEqual({ kind: 'completed' })
    expect(lastResults(model.requests[1])[0]?.result.isError).toBe(true)
    expect(lastResultTexts(model.requests[1])[0]).toContain('blocked')
  })

  test('are calls to the hooks of the agent that calls them', async () => {
    const helper = agentTool(inner({}), described)
    const { result } = await runHooked(script, { toolGuardrails: [denier('bad')] }, { tools: [helper] })

    expect(result.outcome).toMatchObject({ kind: 'blocked', phase: 'tool-input' })
  })

  test('tell the events of their hooks under their path', async () => {
    const helper = agentTool(inner({ preHooks: [() => {}] }), described)
    const agent = createAgent({ model: scriptedModel(script), clock: manualClock(), tools: [helper] })
    const { events } = await runTurn(agent)

    expect(hookEvents(events).map((event) => 'path' in event && event.path !== undefined)).toEqual([true, true])
  })
})
