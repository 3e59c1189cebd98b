import { type ModelRequest, messageText } from '@turnloop/core'
import { outline } from './loop-setup.ts'

/** Whether a request asks for a summary rather than an answer. */
export function isSummaryRequest({ messages }: ModelRequest): boolean {
  const [only] = messages
  return messages.length === 1 && only?.role === 'user' && messageText(only).startsWith('<conversation>')
}

/** What a request shows of a compacted conversation: one line per message, a summary as one word. */
export function summaryShape(request: ModelRequest | undefined): string[] {
  const messages = request?.messages ?? []
  const lines = outline(messages)
  return messages.map((message, index) =>
    message.role === 'user' && message.synthetic === 'summary' ? 'summary' : (lines[index] ?? ''),
  )
}
