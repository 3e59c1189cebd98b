import { clientCalls, type Message, messageText, type ToolResult, type UserMessage } from '@turnloop/core'
import { splitInput } from '../attachments/attached-parts.ts'
import { filesOf, type SeenFile } from './read-attached.ts'
import { questionsIn } from './summary.ts'

/** A conversation as the practice model sees it: what is asked now, what its tools said, and what came before. */
export interface TurnSoFar {
  readonly question: string
  /** The files that came with it. */
  readonly files: readonly SeenFile[]
  /** The results of each batch of calls since the question, oldest first. */
  readonly batches: readonly (readonly ToolResult[])[]
  readonly earlier: readonly Message[]
}

/** Read the conversation from its last question on. What the loop itself said in the user's place is no question. */
export function readTurn(messages: readonly Message[]): TurnSoFar {
  const at = messages.findLastIndex((message) => isQuestion(message))
  const asked = messages[at]
  const since = at === -1 ? [] : messages.slice(at + 1)
  const batches = since.flatMap((message) => (message.role === 'tool' ? [message.results] : []))
  const question = asked?.role === 'user' ? wordsOf(asked) : ''
  return { question, files: filesOf(asked), batches, earlier: at === -1 ? [] : messages.slice(0, at) }
}

/** The questions before, newest first; those that a summary stands for too. */
export function earlierQuestions(earlier: readonly Message[]): string[] {
  const questions = earlier.flatMap((message) => {
    if (message.role !== 'user') return []
    if (message.synthetic === 'summary') return questionsIn(messageText(message))
    return isQuestion(message) ? [wordsOf(message)] : []
  })
  return questions.reverse()
}

/** The results of the tools before, newest first. */
export function earlierResults(earlier: readonly Message[]): ToolResult[] {
  return earlier.flatMap((message) => (message.role === 'tool' ? message.results : [])).reverse()
}

/** The last answer in words; replies that only call tools are none. */
export function lastAnswer(earlier: readonly Message[]): string | undefined {
  for (const message of earlier.toReversed()) {
    if (message.role !== 'assistant' || clientCalls(message).length > 0) continue
    const text = messageText(message).trim()
    if (text !== '') return text
  }
  return undefined
}

/** What a person wrote, without the texts that they attached. */
function wordsOf({ content }: UserMessage): string {
  return splitInput(content).text
}

function isQuestion(message: Message): message is UserMessage {
  return message.role === 'user' && message.synthetic === undefined
}
