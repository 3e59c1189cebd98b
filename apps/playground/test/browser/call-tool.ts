import { createAgent, type JsonValue, type Model, type Tool, type ToolResult, type ToolSource } from '@turnloop/core'

/** What a call may be given. */
export interface CallOptions {
  signal?: AbortSignal
  onProgress?(update: JsonValue): void
}

/** Call one tool as an agent calls it, checks, Stop and all, and return what became of it. */
export async function callTool(
  tools: Tool | ToolSource,
  toolName: string,
  input: object,
  options: CallOptions = {},
): Promise<ToolResult> {
  const agent = createAgent({ model: modelThatCalls(toolName, input), tools: [tools], maxResultBytes: 2_000_000 })
  const turn = agent.turn('Go.', {
    ...(options.signal && { signal: options.signal }),
    onEvent: (event) => {
      if (event.type === 'tool-progress') options.onProgress?.(event.update)
    },
  })
  const { messages } = await turn.untilDone()
  const result = messages.flatMap((message) => (message.role === 'tool' ? message.results : []))[0]
  if (result === undefined) throw new Error(`${toolName} was not called`)
  return result
}

function modelThatCalls(toolName: string, input: object): Model {
  return {
    provider: 'test',
    modelId: 'test',
    async *stream({ messages }) {
      const isAnswered = messages.some((message) => message.role === 'tool')
      if (!isAnswered) yield { type: 'tool-call', id: 'call', toolName, inputText: JSON.stringify(input) }
      yield { type: 'finish', stopReason: isAnswered ? 'endTurn' : 'toolUse' }
    },
  }
}
