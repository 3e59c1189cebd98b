import type { InputView, ResultView } from './hook-context.ts'
import {
  type AssistantMessage,
  type AssistantPart,
  messageText,
  type TextPart,
  type UserMessage,
  type UserPart,
} from './messages.ts'

/** What a list of hooks looks at: the text-bearing fields of an input or a reply. */
export interface CheckSubject {
  readonly texts: readonly string[]
  /** Which of them are text to people, where others are not (reasoning). Default: all. */
  readonly isShown?: readonly boolean[]
  readonly messages?: readonly UserMessage[]
  readonly reply?: AssistantMessage
  /** The tool whose arguments are the answer: of the texts as well. */
  readonly answerName?: string | undefined
  readonly output?: unknown
  /** The reply is not the answer. */
  readonly isStep?: true
}

/** What a hook of a list sees, and may assign. */
export interface HookViews {
  readonly context: { readonly input: InputView; readonly result: ResultView }
  text(): string
  texts(): readonly string[]
  /** Put in its place what a hook says: a list for each text, else the text to people. */
  put(value: unknown): void
}

/** Views of a subject: its text to people in one, whatever parts it stands in. */
export function viewsOf(subject: CheckSubject): HookViews {
  const { isShown, messages = [], reply, answerName, output } = subject
  let texts = [...subject.texts]
  const isText = (index: number): boolean => isShown?.[index] ?? true
  const text = (): string => texts.filter((_text, index) => isText(index)).join('')
  const replace = (whole: string): void => {
    const first = texts.findIndex((_text, index) => isText(index))
    texts =
      first < 0 ? [...texts, whole] : texts.map((old, index) => (index === first ? whole : isText(index) ? '' : old))
  }
  const isOutput = reply !== undefined
  const input: InputView = {
    get messages() {
      return isOutput ? messages : withInputTexts(messages, texts)
    },
    get text() {
      return isOutput ? messages.map(messageText).join('\n') : text()
    },
    set text(whole) {
      if (!isOutput) replace(whole)
    },
  }
  const message = (): AssistantMessage | undefined => reply && withReplyTexts(reply, texts, answerName)
  const result: ResultView = {
    get message() {
      return message()
    },
    get text() {
      return isOutput ? text() : ''
    },
    set text(whole) {
      if (isOutput) replace(whole)
    },
    get output() {
      // Made of a text that stands no longer.
      return message() === reply ? output : undefined
    },
    usage: reply?.usage ?? {},
  }
  const put = (value: unknown): void => {
    if (Array.isArray(value)) texts = value.map(String)
    else replace(String(value))
  }
  return { context: { input, result }, text, texts: () => texts, put }
}

/** The texts of a reply: reasoning too, and the arguments that are its answer, which are no text to people. */
export function subjectOf(reply: AssistantMessage, answerName?: string): CheckSubject {
  const found = reply.content.flatMap((part) => {
    const text = textOf(part, answerName)
    return text === undefined ? [] : [{ text, isShown: part.type === 'text' }]
  })
  return {
    texts: found.map(({ text }) => text),
    isShown: found.map(({ isShown }) => isShown),
    reply,
    answerName,
  }
}

function textOf(part: AssistantPart, answerName: string | undefined): string | undefined {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  return part.type === 'tool-call' && part.toolName === answerName ? part.inputText : undefined
}

/** The same reply with other texts, each in its place. */
export function withReplyTexts(
  reply: AssistantMessage,
  texts: readonly string[],
  answerName?: string,
): AssistantMessage {
  let at = 0
  let isSame = true
  const content = reply.content.map((part): AssistantPart => {
    const before = textOf(part, answerName)
    if (before === undefined) return part
    const text = texts[at++] ?? ''
    if (text === before) return part
    isSame = false
    // What a provider signed is signed as it was.
    const { providerMetadata: _signed, ...rest } = part
    if (rest.type === 'tool-call') return { ...rest, inputText: text }
    return rest.type === 'text' || rest.type === 'reasoning' ? { ...rest, text } : part
  })
  const added = texts.slice(at).map(toText)
  return isSame && added.length === 0 ? reply : { ...reply, content: [...content, ...added] }
}

/** A text that a hook has put where there was none. */
function toText(text: string): TextPart {
  return { type: 'text', text }
}

/** The same messages with other texts, each in its place. */
export function withInputTexts(messages: readonly UserMessage[], texts: readonly string[]): readonly UserMessage[] {
  let at = 0
  const next = messages.map((message) => {
    let isSame = true
    const content = message.content.flatMap((part): UserPart[] => {
      if (part.type !== 'text') return [part]
      const text = texts[at++] ?? ''
      isSame &&= text === part.text
      // What a hook has emptied is gone.
      return text === '' && text !== part.text ? [] : [text === part.text ? part : { ...part, text }]
    })
    return isSame ? message : { ...message, content }
  })
  const last = next.at(-1)
  const added = texts.slice(at).map(toText)
  if (last === undefined || added.length === 0) return next
  return [...next.slice(0, -1), { ...last, content: [...last.content, ...added] }]
}
