import { z } from 'zod'

/** One thing in the conversation that a request's body holds, whatever the protocol calls it. */
export interface WireItem {
  readonly kind: 'user' | 'text' | 'call' | 'result'
  /** Of a call and its result; empty in a protocol that has none. */
  readonly id: string
  /** What was said, the call's tool, or what the result says. */
  readonly text: string
}

const loose = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
})

/** Read a Chat Completions request. */
export function readChat(body: unknown): WireItem[] {
  const calls = z.array(z.object({ id: z.string(), function: z.object({ name: z.string() }) }))
  const { messages } = z.object({ messages: z.array(loose) }).parse(body)
  return messages.flatMap((message): WireItem[] => {
    if (message.role === 'tool') return [result(String(message.tool_call_id), message.content)]
    const asked = calls.parse(message.tool_calls ?? [])
    return [
      ...said(message.role === 'user' ? 'user' : 'text', message.content),
      ...asked.map(({ function: { name }, id }) => item('call', name, id)),
    ]
  })
}

/** Read a Responses request. */
export function readResponses(body: unknown): WireItem[] {
  const { input } = z.object({ input: z.array(loose) }).parse(body)
  return input.flatMap((entry): WireItem[] => {
    if (entry.type === 'function_call') return [item('call', String(entry.name), String(entry.call_id))]
    if (entry.type === 'function_call_output') return [result(String(entry.call_id), entry.output)]
    return said(entry.role === 'user' ? 'user' : 'text', entry.content ?? entry.id)
  })
}

/** Read a Messages request. */
export function readMessages(body: unknown): WireItem[] {
  const { messages } = z
    .object({ messages: z.array(z.object({ role: z.string(), content: z.array(loose) })) })
    .parse(body)
  return messages.flatMap(({ content, role }) =>
    content.flatMap((block): WireItem[] => {
      if (block.type === 'tool_use') return [item('call', String(block.name), String(block.id))]
      if (block.type === 'tool_result') return [result(String(block.tool_use_id), block.content)]
      return said(role === 'user' ? 'user' : 'text', block.text)
    }),
  )
}

/** Read a Gemini request. */
export function readGoogle(body: unknown): WireItem[] {
  const named = z.looseObject({ id: z.string().optional(), name: z.string() })
  const part = z.object({
    text: z.string().optional(),
    functionCall: named.optional(),
    functionResponse: named.optional(),
  })
  const { contents } = z.object({ contents: z.array(z.object({ role: z.string(), parts: z.array(part) })) }).parse(body)
  return contents.flatMap(({ parts, role }) =>
    parts.flatMap(({ functionCall, functionResponse, text }): WireItem[] => {
      if (functionCall !== undefined) return [item('call', functionCall.name, functionCall.id)]
      if (functionResponse !== undefined) return [result(functionResponse.id ?? '', functionResponse.response)]
      return said(role === 'user' ? 'user' : 'text', text)
    }),
  )
}

function item(kind: WireItem['kind'], text: string, id = ''): WireItem {
  return { kind, id, text }
}

function said(kind: 'user' | 'text', content: unknown): WireItem[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [item(kind, content)]
  return z
    .array(z.looseObject({ text: z.string() }))
    .parse(content)
    .map(({ text }) => item(kind, text))
}

function result(id: string, content: unknown): WireItem {
  return item('result', typeof content === 'string' ? content : JSON.stringify(content), id)
}
