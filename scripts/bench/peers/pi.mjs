import { agentLoop } from '@earendil-works/pi-agent-core'
import { createTool } from '../lib/probe.mjs'
import {
  chunk,
  historyTexts,
  PROMPT,
  SYSTEM,
  TOOL,
  TOOL_DESCRIPTION,
  TOOL_RESULT,
  TOOL_SCHEMA,
} from '../lib/script.mjs'

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const usage = () => ({ input: 10, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: 20, cost: noCost })
const mock = { api: 'mock', provider: 'mock' }
const model = {
  ...mock,
  id: 'mock',
  name: 'mock',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: noCost,
  contextWindow: 1e6,
  maxTokens: 1e5,
}
const answer = () => ({ role: 'assistant', content: [], ...mock, model: 'mock', usage: usage(), stopReason: 'stop' })

/** What the model says in one step; `message` grows along, as this interface wants it. */
async function* eventsOf(step, message, settle) {
  yield { type: 'start', partial: message }
  if (step.type === 'calls') {
    for (const [contentIndex, { id, name, json }] of step.calls.entries()) {
      const toolCall = { type: 'toolCall', id, name, arguments: {} }
      message.content.push(toolCall)
      yield { type: 'toolcall_start', contentIndex, partial: message }
      toolCall.arguments = JSON.parse(json)
      yield { type: 'toolcall_delta', contentIndex, delta: json, partial: message }
      yield { type: 'toolcall_end', contentIndex, toolCall, partial: message }
    }
    message.stopReason = 'toolUse'
  } else {
    const block = { type: 'text', text: '' }
    message.content.push(block)
    yield { type: 'text_start', contentIndex: 0, partial: message }
    for (let index = 0; index < step.deltas; index++) {
      const delta = chunk(index)
      block.text += delta
      yield { type: 'text_delta', contentIndex: 0, delta, partial: message }
    }
    yield { type: 'text_end', contentIndex: 0, content: block.text, partial: message }
  }
  settle(message)
  yield { type: 'done', reason: message.stopReason, message }
}

/** A mock model of pi's own interface: an async generator with a promise of the whole message. */
function replyOf(step) {
  const message = { ...answer(), timestamp: Date.now() }
  let settle = () => {}
  const whole = new Promise((resolve) => {
    settle = resolve
  })
  return { [Symbol.asyncIterator]: () => eventsOf(step, message, settle), result: () => whole }
}

function pastOf(history) {
  return historyTexts(history).map(({ role, text }) => {
    const said = { role, content: [{ type: 'text', text }], timestamp: 1 }
    return role === 'user' ? said : { ...answer(), ...said }
  })
}

function textOf(event) {
  const inner = event.type === 'message_update' ? event.assistantMessageEvent : undefined
  return inner?.type === 'text_delta' ? inner.delta : undefined
}

/** `agentLoop` of pi-agent-core, with a model of its own interface. */
export default {
  name: 'pi',
  prepare({ steps, history, toolMs, probe }) {
    let asked = 0
    const work = createTool(probe, toolMs, TOOL_RESULT)
    const execute = async () => ({ content: [{ type: 'text', text: JSON.stringify(await work()) }], details: {} })
    const tools = [{ name: TOOL, label: TOOL, description: TOOL_DESCRIPTION, parameters: TOOL_SCHEMA, execute }]
    const before = [{ role: 'system', content: SYSTEM, timestamp: 1 }, ...pastOf(history)]
    const streamFn = (_model, { messages }) => {
      probe.modelCall(messages.length)
      return replyOf(steps[asked++])
    }
    return async () => {
      const prompt = { role: 'user', content: [{ type: 'text', text: PROMPT }], timestamp: Date.now() }
      const context = { messages: [...before], tools }
      const config = { model, convertToLlm: (messages) => messages }
      const stream = agentLoop([prompt], context, config, undefined, streamFn)
      for await (const event of stream) probe.event(textOf(event))
      return stream
    }
  },
}
