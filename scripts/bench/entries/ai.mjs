import { isStepCount, jsonSchema, streamText, tool } from 'ai'
import { add, parameters, providerModel } from './script.mjs'

/** `streamText` of the AI SDK. */
export async function firstTurn() {
  const { stream } = streamText({
    model: providerModel(),
    tools: { add: tool({ description: 'adds', inputSchema: jsonSchema(parameters), execute: add }) },
    prompt: 'add',
    stopWhen: isStepCount(5),
  })
  let text = ''
  for await (const part of stream) if (part.type === 'text-delta') text += part.text
  return text
}
