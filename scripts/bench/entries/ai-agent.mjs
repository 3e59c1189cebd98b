import { jsonSchema, ToolLoopAgent, tool } from 'ai'
import { add, parameters, providerModel } from './script.mjs'

/** `ToolLoopAgent` of the AI SDK. */
export async function firstTurn() {
  const agent = new ToolLoopAgent({
    model: providerModel(),
    tools: { add: tool({ description: 'adds', inputSchema: jsonSchema(parameters), execute: add }) },
  })
  const { stream } = await agent.stream({ prompt: 'add' })
  let text = ''
  for await (const part of stream) if (part.type === 'text-delta') text += part.text
  return text
}
