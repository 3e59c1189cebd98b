import { chat, maxIterations, toolDefinition } from '@tanstack/ai'
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

const usage = { promptTokens: 10, completionTokens: 10, totalTokens: 20 }

/** What the model says in one step. */
async function* eventsOf(step, run) {
  const stamp = () => ({ model: 'mock', timestamp: Date.now() })
  yield { type: 'RUN_STARTED', ...run, ...stamp() }
  if (step.type === 'calls') {
    for (const [index, { id, name, json, input }] of step.calls.entries()) {
      const call = { toolCallId: id, toolCallName: name, toolName: name }
      yield { type: 'TOOL_CALL_START', ...call, index, ...stamp() }
      yield { type: 'TOOL_CALL_ARGS', toolCallId: id, delta: json, ...stamp() }
      yield { type: 'TOOL_CALL_END', ...call, input, ...stamp() }
    }
  } else {
    yield { type: 'TEXT_MESSAGE_START', messageId: 'm0', role: 'assistant', ...stamp() }
    for (let index = 0; index < step.deltas; index++) {
      yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm0', delta: chunk(index), model: 'mock', timestamp: Date.now() }
    }
    yield { type: 'TEXT_MESSAGE_END', messageId: 'm0', ...stamp() }
  }
  yield { type: 'RUN_FINISHED', ...run, finishReason: step.type === 'calls' ? 'tool_calls' : 'stop', usage, ...stamp() }
}

/** `chat` of TanStack AI, with a model of its own interface. */
export default {
  name: 'tanstack',
  prepare({ steps, history, toolMs, probe }) {
    let asked = 0
    const adapter = {
      kind: 'text',
      name: 'mock',
      model: 'mock',
      chatStream({ messages, runId = 'r', threadId = 't' }) {
        probe.modelCall(messages.length)
        return eventsOf(steps[asked++], { runId, threadId })
      },
    }
    const definition = toolDefinition({ name: TOOL, description: TOOL_DESCRIPTION, inputSchema: TOOL_SCHEMA })
    const tools = [definition.server(createTool(probe, toolMs, TOOL_RESULT))]
    const past = historyTexts(history).map(({ role, text }) => ({ role, content: text }))
    return async () => {
      const stream = chat({
        adapter,
        messages: [...past, { role: 'user', content: PROMPT }],
        systemPrompts: [SYSTEM],
        tools,
        agentLoopStrategy: maxIterations(steps.length + 1),
      })
      for await (const event of stream) probe.event(event.type === 'TEXT_MESSAGE_CONTENT' ? event.delta : undefined)
      return stream
    }
  },
}
