import { add, providerModel } from './script.mjs'

/** The loop by hand. */
export async function firstTurn() {
  const model = providerModel()
  const tools = { add }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'add' }] }]
  let text = ''
  for (;;) {
    const { stream } = await model.doStream({ prompt: messages })
    const calls = []
    const reader = stream.getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.type === 'text-delta') text += next.value.delta
      if (next.value.type === 'tool-call') calls.push(next.value)
    }
    messages.push({ role: 'assistant', content: calls })
    if (calls.length === 0) return text
    const results = await Promise.all(calls.map(({ toolName, input }) => tools[toolName](JSON.parse(input))))
    const content = calls.map(({ toolCallId, toolName }, index) => {
      const output = { type: 'json', value: results[index] }
      return { type: 'tool-result', toolCallId, toolName, output }
    })
    messages.push({ role: 'tool', content })
  }
}
