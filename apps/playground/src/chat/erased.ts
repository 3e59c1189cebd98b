import { type AssistantMessage, messageText, type UserMessage } from '@turnloop/core'
import { joinWords, plural } from '../app/format.ts'
import { attachedFile, questionName, splitInput } from '../attachments/attached-parts.ts'

/** What core leaves in the place of what was said. */
const ERASED = '[Erased.]'

/** Whether a message was taken out, so that only its place is left. */
export function isErased({ content: [first] }: UserMessage | AssistantMessage): boolean {
  return first?.type === 'text' && first.text === ERASED
}

/** A question to be confirmed: what is gone for good, and what stays. */
export interface EraseWords {
  readonly title: string
  readonly gone: string
  readonly stays: string
}

const SHORT = 80

/** What erasing a question takes away. */
export function eraseQuestionWords(question: UserMessage): EraseWords {
  const { text, files } = splitInput(question.content)
  const names = files.map((file) => attachedFile(file).name)
  const withFiles = text.trim() !== '' && names.length > 0 ? ` with ${joinWords(names)}` : ''
  return {
    title: 'Erase this question?',
    gone: `“${shorten(questionName(question))}”${withFiles} is taken out of this browser, every open tab and every later export, for good.`,
    stays: 'Its place stays, and so does the answer, with whatever that quotes of it.',
  }
}

/** What erasing an answer, or what there is of it, takes away. */
export function eraseAnswerWords(replies: readonly AssistantMessage[]): EraseWords {
  const calls = replies.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-call' ? part.toolName : [])),
  )
  const tools = [...new Set(calls)]
  const withCalls =
    calls.length > 0 ? `, with what came of ${plural(calls.length, 'tool call')} (${joinWords(tools)}),` : ''
  return {
    title: 'Erase this answer?',
    gone: `The answer${withCalls} is taken out of this browser, every open tab and every later export, for good.`,
    stays: 'Its place and the question stay, and so does what later messages quote of it.',
  }
}

/** What erasing a comment takes away. */
export function eraseCommentWords(comment: UserMessage): EraseWords {
  return {
    title: 'Erase this comment?',
    gone: `“${shorten(messageText(comment))}” is taken out of this browser, every open tab and every later export, for good.`,
    stays: 'Its place stays.',
  }
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= SHORT ? line : `${line.slice(0, SHORT).replace(/\s\S*$/, '')}…`
}
