import { type Guardrail, TurnloopError } from '@turnloop/core'
import {
  badOption,
  checkOptions,
  type GuardrailSettings,
  isFunction,
  isTexts,
  optional,
  withSettings,
} from './guardrail-settings.ts'

/** Options of `topic`: at least one of the three. */
export interface TopicOptions extends GuardrailSettings {
  /** Words and phrases of which at least one must be there. `invest*` stands for all words that begin so. */
  allow?: readonly string[]
  /** Words and phrases that must not be there. */
  deny?: readonly string[]
  /**
   * Whether a text is on topic, asked last, where the lists have nothing against it. What it throws blocks, and so does an
   * answer that is neither `true` nor `false`.
   */
  judge?(text: string, options: { signal: AbortSignal }): boolean | Promise<boolean>
}

/** Scripts that put no space between words, so that a word of them may begin and end anywhere. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
/** Korean puts particles behind a word, without a space. */
const OPEN_END = `${UNSPACED}\\p{Script=Hangul}`
const WORD = '\\p{L}\\p{M}\\p{N}_'
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/**
 * A guardrail on what a text is about, by words and by a judge of yours.
 *
 * Words are found whole, in any script and case, however they are spaced; `deny` is looked at first and while a text grows,
 * `allow` and the judge only once it is complete. Blocks with the trigger `off_topic`. Phases: `['input']` unless given.
 * Throws `bad-option`.
 */
export function topic(options: TopicOptions): Guardrail {
  checkOptions('topic', options, { allow: optional(isTexts), deny: optional(isTexts), judge: optional(isFunction) })
  if (options.allow === undefined && options.deny === undefined && options.judge === undefined) {
    throw badOption('topic', 'give "allow", "deny", "judge" or several of them')
  }
  const allowed = options.allow && expressionOf(options.allow)
  const denied = options.deny && expressionOf(options.deny)
  const offTopic = { block: 'This is not what the assistant is for.', trigger: 'off_topic' } as const
  return withSettings(options, {
    name: 'topic',
    phases: ['input'],
    check: async ({ text, isPartial }, { signal }) => {
      const words = fold(text)
      if (denied?.test(words)) return offTopic
      if (isPartial) return undefined
      if (allowed !== undefined && !allowed.test(words)) return offTopic
      if (options.judge === undefined) return undefined
      signal.throwIfAborted()
      // Typed, and yet whatever a judge gives: what is no answer must not pass for a yes.
      const isOnTopic: unknown = await options.judge(text, { signal })
      if (typeof isOnTopic !== 'boolean')
        throw new TurnloopError('bad-option', 'topic: "judge" must give true or false.')
      return isOnTopic ? undefined : offTopic
    },
  })
}

function fold(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '').toLowerCase()
}

/** One expression for a list of words; never matches for an empty list. */
function expressionOf(phrases: readonly string[]): RegExp {
  const sources = phrases.map((phrase) => {
    const text = fold(phrase).trim()
    if (!/[^\s*]/.test(text)) throw badOption('topic', `the word ${JSON.stringify(phrase)} has no letters`)
    const isOpen = text.endsWith('*')
    const parts = text.replace(/\*$/, '').split(/\s+/)
    const body = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('\\s{1,9}')
    const before = new RegExp(`^[${WORD}]`, 'u').test(text) && !new RegExp(`^[${UNSPACED}]`, 'u').test(text)
    const end = parts.at(-1)?.slice(-1) ?? ''
    const after = !isOpen && new RegExp(`[${WORD}]$`, 'u').test(end) && !new RegExp(`[${OPEN_END}]$`, 'u').test(end)
    return `${before ? `(?<![${WORD}])` : ''}${body}${after ? `(?![${WORD}])` : ''}`
  })
  return new RegExp(sources.length === 0 ? '(?!)' : sources.join('|'), 'u')
}
