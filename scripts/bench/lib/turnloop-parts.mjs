import { createAgent, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { createTool } from './probe.mjs'
import { chunk, historyTexts, PROMPT, SYSTEM, TOOL, TOOL_DESCRIPTION, TOOL_RESULT, TOOL_SCHEMA } from './script.mjs'

const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20 }

/** What the model says in one step. @param {import('./script.mjs').ScriptStep} step */
async function* eventsOf(step) {
  yield { type: 'started' }
  if (step.type === 'calls') {
    for (const { id, name, json } of step.calls) {
      yield { type: 'tool-input-start', id, toolName: name }
      yield { type: 'tool-input-delta', id, delta: json }
      yield { type: 'tool-input-end', id }
      yield { type: 'tool-call', id, toolName: name, inputText: json }
    }
    yield { type: 'finish', stopReason: 'toolUse', usage }
    return
  }
  yield { type: 'text-start', id: 't0' }
  for (let index = 0; index < step.deltas; index++) yield { type: 'text-delta', id: 't0', delta: chunk(index) }
  yield { type: 'text-end', id: 't0' }
  yield { type: 'finish', stopReason: 'endTurn', usage }
}

/**
 * A mock model of Turnloop's own interface: an async generator.
 *
 * @param {readonly import('./script.mjs').ScriptStep[]} steps
 * @param {import('./probe.mjs').Probe} probe
 */
export function ownModel(steps, probe) {
  let asked = 0
  return {
    provider: 'mock',
    modelId: 'mock',
    stream({ messages }) {
      probe.modelCall(messages.length)
      return eventsOf(steps[asked++])
    },
  }
}

/**
 * An agent with the one tool, and the defaults but for one: all calls of a batch run at once, as with every other peer.
 */
export function turnloopAgent(model, { toolMs, probe }) {
  return createAgent({
    model,
    instructions: SYSTEM,
    maxParallelTools: 100,
    tools: [
      tool({
        name: TOOL,
        description: TOOL_DESCRIPTION,
        input: jsonSchema(TOOL_SCHEMA),
        execute: createTool(probe, toolMs, TOOL_RESULT),
      }),
    ],
  })
}

/** Earlier messages in Turnloop's form. @param {number} count */
export const turnloopHistory = (count) =>
  historyTexts(count).map(({ role, text }, index) => ({
    id: `h${index}`,
    role,
    createdAt: 1,
    content: [{ type: 'text', text }],
    ...(role === 'assistant' && { stopReason: 'endTurn' }),
  }))

/** One turn on a transcript, its events read as they come. @returns {() => Promise<unknown>} */
export function turnOf(agent, { history, probe }) {
  const past = turnloopHistory(history)
  return async () => {
    const turn = agent.turn([
      ...past,
      { id: 'p', role: 'user', createdAt: 2, content: [{ type: 'text', text: PROMPT }] },
    ])
    for await (const event of turn.events()) probe.event(event.type === 'text-delta' ? event.delta : undefined)
    return turn.untilDone()
  }
}
