import type { InputView, ResultView } from './hook-context.ts'
import { type AssistantMessage, messageText, type UserMessage } from './messages.ts'

/** What a list of hooks looks at: the text-bearing fields of an input or a reply. */
export interface CheckSubject {
  readonly texts: readonly string[]
  /** Which of them are text to people, where others are not (reasoning). Default: all. */
  readonly isShown?: readonly boolean[]
  readonly messages?: readonly UserMessage[]
  readonly reply?: AssistantMessage
  readonly output?: unknown
}

/** What a hook of a list sees, and may assign. */
export interface HookViews {
  readonly context: { readonly input: InputView; readonly result: ResultView }
  text(): string
  texts(): readonly string[]
  replace(text: string): void
}

/** Views of a subject: its text to people in one, whatever parts it stands in. */
export function viewsOf(subject: CheckSubject): HookViews {
  const { isShown, messages = [], reply, output } = subject
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
    messages,
    get text() {
      return isOutput ? messages.map(messageText).join('\n') : text()
    },
    set text(whole) {
      if (!isOutput) replace(whole)
    },
  }
  const result: ResultView = {
    message: reply,
    get text() {
      return isOutput ? text() : ''
    },
    set text(whole) {
      if (isOutput) replace(whole)
    },
    ...(output !== undefined && { output }),
    usage: reply?.usage ?? {},
  }
  return { context: { input, result }, text, texts: () => texts, replace }
}
