import type { Message } from './messages.ts'
import type { RunnerParts } from './runner-parts.ts'
import { historyMessages, sourceOf } from './transcript.ts'

/** The same parts, with a transcript that came along with the input behind what they have. */
export function withHistory(parts: RunnerParts, messages: readonly Message[]): RunnerParts {
  const before = parts.history === undefined ? [] : historyMessages(parts.history)
  return { ...parts, history: sourceOf(before.length === 0 ? messages : [...before, ...messages]) }
}
