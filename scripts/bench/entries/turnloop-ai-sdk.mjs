import { aiSdkModel } from '@turnloop/ai-sdk'
import { createAgent, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { add, parameters, providerModel } from './script.mjs'

/** Turnloop over a model of the AI SDK. */
export async function firstTurn() {
  const tools = [tool({ name: 'add', description: 'adds', input: jsonSchema(parameters), execute: add })]
  let text = ''
  for await (const event of createAgent({ model: aiSdkModel(providerModel()), tools })
    .turn('add')
    .events()) {
    if (event.type === 'text-delta') text += event.delta
  }
  return text
}
