import { createAgent, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { add, parameters } from './script.mjs'

/** A model of Turnloop's own interface. */
export const model = {
  provider: 'fake',
  modelId: 'fake',
  async *stream({ messages }) {
    const last = messages.at(-1)
    if (last.role !== 'tool') {
      yield { type: 'tool-call', id: 'c', toolName: 'add', inputText: '{"a":1,"b":2}' }
      yield { type: 'finish', stopReason: 'toolUse' }
      return
    }
    yield { type: 'text-start', id: 't' }
    yield { type: 'text-delta', id: 't', delta: `sum ${last.results[0].result.content[0].text}` }
    yield { type: 'text-end', id: 't' }
    yield { type: 'finish', stopReason: 'endTurn' }
  },
}

/** Turnloop with a model of its own interface. */
export async function firstTurn() {
  const tools = [tool({ name: 'add', description: 'adds', input: jsonSchema(parameters), execute: add })]
  let text = ''
  for await (const event of createAgent({ model, tools }).turn('add').events()) {
    if (event.type === 'text-delta') text += event.delta
  }
  return text
}
