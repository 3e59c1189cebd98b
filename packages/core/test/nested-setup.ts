import { type Agent, agentTool, createAgent } from '@turnloop/core'
import { type ManualClock, manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'

/** An agent as the tool `helper`. */
export const described: { name: string; description: string } = { name: 'helper', description: 'Helps' }

/** A reply that calls it. */
export const askHelper: Exclude<ScriptStep, string> = { calls: [{ name: 'helper', input: { task: 'Look it up' } }] }

/** An agent whose only tool is another one. */
export function callerOf(inner: Agent, clock: ManualClock = manualClock(), timeouts: { toolMs?: number } = {}): Agent {
  const model = scriptedModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Done.' : askHelper))
  return createAgent({ model, clock, timeouts, tools: [agentTool(inner, described)] })
}
