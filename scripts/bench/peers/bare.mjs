import { createTool } from '../lib/probe.mjs'
import { providerModel } from '../lib/provider-model.mjs'
import { historyTexts, PROMPT, SYSTEM, TOOL, TOOL_RESULT, TOOL_SCHEMA } from '../lib/script.mjs'

const declared = [{ type: 'function', name: TOOL, inputSchema: TOOL_SCHEMA }]

/** The loop by hand: no checks, no retries, no hooks, no abort. What the work costs when nothing else is done. */
async function* agent(model, messages, tools) {
  for (;;) {
    const { stream } = await model.doStream({ prompt: messages, tools: declared })
    const reader = stream.getReader()
    let text = ''
    const calls = []
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (value.type === 'text-delta') text += value.delta
      else if (value.type === 'tool-call') calls.push({ ...value, type: 'tool-call', input: JSON.parse(value.input) })
      yield value
    }
    messages.push({ role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...calls] })
    if (calls.length === 0) return
    const results = await Promise.all(calls.map(({ toolName, input }) => tools[toolName](input)))
    const content = calls.map(({ toolCallId, toolName }, index) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'json', value: results[index] },
    }))
    messages.push({ role: 'tool', content })
    yield* content
  }
}

/** The floor: a loop by hand over the model object that the AI SDK gets. */
export default {
  name: 'bare',
  prepare({ steps, history, toolMs, probe }) {
    const model = providerModel(steps, probe)
    const tools = { [TOOL]: createTool(probe, toolMs, TOOL_RESULT) }
    const past = historyTexts(history).map(({ role, text }) => ({ role, content: [{ type: 'text', text }] }))
    return async () => {
      const prompt = { role: 'user', content: [{ type: 'text', text: PROMPT }] }
      const messages = [{ role: 'system', content: SYSTEM }, ...past, prompt]
      for await (const part of agent(model, messages, tools)) {
        probe.event(part.type === 'text-delta' ? part.delta : undefined)
      }
      return messages
    }
  },
}
