import { agentLoop } from '@earendil-works/pi-agent-core'
import { add, parameters } from './script.mjs'

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: noCost }
const fake = { api: 'fake', provider: 'fake' }
const limits = { contextWindow: 100_000, maxTokens: 10_000 }
const model = {
  ...fake,
  ...limits,
  id: 'fake',
  name: 'fake',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: noCost,
}

function streamFn(_model, { messages }) {
  const last = messages.at(-1)
  const asks = last.role !== 'toolResult'
  const part = asks
    ? { type: 'toolCall', id: 'c', name: 'add', arguments: { a: 1, b: 2 } }
    : { type: 'text', text: `sum ${last.content[0].text}` }
  const said = { role: 'assistant', content: [part], stopReason: asks ? 'toolUse' : 'stop' }
  const message = { ...said, ...fake, model: 'fake', usage, timestamp: Date.now() }
  return {
    async *[Symbol.asyncIterator]() {
      yield { type: 'start', partial: message }
      if (!asks) yield { type: 'text_delta', contentIndex: 0, delta: part.text, partial: message }
      yield { type: 'done', reason: message.stopReason, message }
    },
    result: async () => message,
  }
}

/** `agentLoop` of pi-agent-core. */
export async function firstTurn() {
  const execute = async (_id, input) => ({ content: [{ type: 'text', text: String(await add(input)) }], details: {} })
  const tools = [{ name: 'add', label: 'add', description: 'adds', parameters, execute }]
  const prompt = { role: 'user', content: 'add', timestamp: 1 }
  const config = { model, convertToLlm: (messages) => messages }
  let text = ''
  for await (const event of agentLoop([prompt], { messages: [], tools }, config, undefined, streamFn)) {
    const inner = event.type === 'message_update' ? event.assistantMessageEvent : undefined
    if (inner?.type === 'text_delta') text += inner.delta
  }
  return text
}
