import { jsonSchema, tool } from 'ai'
import { createTool } from './probe.mjs'
import { providerModel } from './provider-model.mjs'
import { historyTexts, PROMPT, SYSTEM, TOOL, TOOL_DESCRIPTION, TOOL_RESULT, TOOL_SCHEMA } from './script.mjs'

/** What the AI SDK's two loops share: model, tool, and the earlier messages in its form. */
export function aiParts({ steps, history, toolMs, probe }) {
  const past = historyTexts(history).map(({ role, text }) => ({ role, content: text }))
  return {
    model: providerModel(steps, probe),
    instructions: SYSTEM,
    tools: {
      [TOOL]: tool({
        description: TOOL_DESCRIPTION,
        inputSchema: jsonSchema(TOOL_SCHEMA),
        execute: createTool(probe, toolMs, TOOL_RESULT),
      }),
    },
    messages: () => [...past, { role: 'user', content: PROMPT }],
    maxSteps: steps.length + 1,
  }
}

/** Read the stream of a result to its end. */
export async function readAll({ stream }, probe) {
  for await (const part of stream) probe.event(part.type === 'text-delta' ? part.text : undefined)
}
