import { chat, toolDefinition } from '@tanstack/ai'
import { add, parameters } from './script.mjs'

async function* eventsOf({ messages, runId = 'r', threadId = 't' }) {
  const last = messages.at(-1)
  const stamp = () => ({ model: 'fake', timestamp: Date.now() })
  yield { type: 'RUN_STARTED', runId, threadId, ...stamp() }
  if (last.role === 'tool') {
    yield { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant', ...stamp() }
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: `sum ${last.content}`, ...stamp() }
    yield { type: 'TEXT_MESSAGE_END', messageId: 'm', ...stamp() }
  } else {
    const call = { toolCallId: 'c', toolCallName: 'add', toolName: 'add' }
    yield { type: 'TOOL_CALL_START', ...call, ...stamp() }
    yield { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"a":1,"b":2}', ...stamp() }
    yield { type: 'TOOL_CALL_END', ...call, input: { a: 1, b: 2 }, ...stamp() }
  }
  yield {
    type: 'RUN_FINISHED',
    runId,
    threadId,
    finishReason: last.role === 'tool' ? 'stop' : 'tool_calls',
    ...stamp(),
  }
}

export const adapter = { kind: 'text', name: 'fake', model: 'fake', chatStream: eventsOf }

const definition = toolDefinition({ name: 'add', description: 'adds', inputSchema: parameters })

export const tools = [definition.server(async (input) => String(await add(input)))]

/** `chat` of TanStack AI. */
export async function firstTurn() {
  let text = ''
  for await (const event of chat({ adapter, messages: [{ role: 'user', content: 'add' }], tools })) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta
  }
  return text
}
