import { type AssistantMessage, clientCalls, type Message, type ModelRequest, messageText } from '@turnloop/core'
import { plainSchema } from './plain-schema.ts'
import { asksForCalls, callableTools } from './reply-schema.ts'
import { resultLines } from './result-lines.ts'

/** A conversation for a model that knows two speakers and text. */
export interface PlainPrompt {
  readonly system: string
  /** The speakers take turns, beginning and ending with the user: some chat templates refuse anything else. */
  readonly turns: readonly PlainTurn[]
}

/** What one of the two speakers said. */
export interface PlainTurn {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** Write a request as plain text, calls in the form that `replySchema` asks for. Files are named, not shown. */
export function plainPrompt(request: ModelRequest): PlainPrompt {
  const inJson = asksForCalls(request)
  const system = [request.instructions, inJson ? protocol(request) : undefined].filter(Boolean).join('\n\n')
  const turns: PlainTurn[] = []
  for (const message of request.messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = contentOf(message, inJson)
    if (content === '') continue
    const last = turns.at(-1)
    if (last?.role !== role) turns.push({ role, content })
    else turns[turns.length - 1] = { role, content: `${last.content}\n\n${content}` }
  }
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: '(The conversation began earlier.)' })
  if (turns.at(-1)?.role !== 'user') turns.push({ role: 'user', content: 'Go on.' })
  return { system, turns }
}

function protocol(request: ModelRequest): string {
  const tools = callableTools(request).map(
    ({ name, description, inputSchema }) =>
      `- ${name}: ${description}\n  input: ${JSON.stringify(plainSchema(inputSchema))}`,
  )
  const answer =
    (request.toolChoice ?? 'auto') === 'auto'
      ? 'To answer the user: {"answer": "your answer"}. Answer once you have what you need.'
      : 'You have to call a tool now.'
  return `Reply with one JSON object and nothing else.
To call a tool: {"tool": "its name", "input": {…}}. Its result comes back to you.
${answer}
The tools:
${tools.join('\n')}`
}

function contentOf(message: Message, inJson: boolean): string {
  switch (message.role) {
    case 'user':
      return message.content
        .map((part) => (part.type === 'text' ? part.text : `[A file of type ${part.mediaType}, which you cannot see.]`))
        .join('\n')
    case 'assistant':
      return assistantText(message, inJson)
    case 'tool':
      return message.results.map(resultLines).join('\n\n')
  }
}

/** Earlier replies stand in the form that the next one is asked for, so that they are examples of it. */
function assistantText(message: AssistantMessage, inJson: boolean): string {
  const calls = clientCalls(message).map(
    ({ toolName, inputText }) => `{"tool": ${JSON.stringify(toolName)}, "input": ${inputText || '{}'}}`,
  )
  const text = messageText(message)
  if (calls.length > 0) return calls.join('\n')
  return inJson && text !== '' ? JSON.stringify({ answer: text }) : text
}
