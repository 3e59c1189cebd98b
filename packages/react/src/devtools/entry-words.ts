import { type Entry, messageText } from '@turnloop/core'
import { jsonLine } from './json-text.ts'

/** What an entry says, on one line. Never throws: a file that somebody has edited may hold anything. */
export function entryWords(entry: Entry): string {
  try {
    return wordsOf(entry)
  } catch {
    return 'cannot be read'
  }
}

function wordsOf(entry: Entry): string {
  switch (entry.type) {
    case 'turn-started':
      return `${entry.agentName} with ${entry.modelId}`
    case 'message':
      return messageWords(entry.message)
    case 'note':
      return line(messageText(entry.message))
    case 'checkpoint':
      return entry.position
    case 'tool-started':
      return `${entry.toolName} ${jsonLine(entry.input, 80)}`
    case 'tool-settled':
      return `${entry.toolName} ${entry.status}${entry.late ? ', late' : ''}`
    case 'approval-requested':
      return `${entry.toolName} ${entry.ask}`
    case 'approval-decided':
      return `${entry.allow ? 'allowed' : 'not allowed'} by ${entry.by}`
    case 'state-changed':
      return jsonLine(entry.patch, 80)
    case 'overlay':
      return `${entry.by} hides ${entry.hides.length}, shows ${entry.shows.length}`
    case 'rewound':
      return `to ${entry.to}`
    case 'session-changed':
      return entry.title ?? (entry.forkedFrom ? `forked from ${entry.forkedFrom.sessionId}` : '')
    case 'erased':
      return `${entry.why}: ${entry.sequences.length}`
    case 'stop-requested':
      return jsonLine(entry.reason, 80)
    case 'turn-paused':
      return `${entry.pending.length} to decide`
    case 'turn-ended':
      return entry.outcome.kind
    default:
      return ''
  }
}

function messageWords(message: Extract<Entry, { type: 'message' }>['message']): string {
  if (message.role === 'tool') return `tool: ${message.calls.length} answered`
  const calls =
    message.role === 'user' ? [] : message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
  const asks = calls.length > 0 ? ` → ${calls.join(', ')}` : ''
  return `${message.role}: ${line(messageText(message))}${asks}`
}

function line(text: string): string {
  const flat = text.slice(0, 200).replace(/\s+/g, ' ')
  return flat.length <= 100 ? flat : `${flat.slice(0, 99)}…`
}
