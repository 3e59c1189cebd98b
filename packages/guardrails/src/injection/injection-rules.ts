import { badOption } from '../guardrail-settings.ts'
import type { Span, TextMap } from '../text-map.ts'
import { LANGUAGES, type PhraseLanguage } from './languages.ts'
import { overrideSource } from './phrases.ts'
import { countTags, foldSource, toReadable } from './readable-text.ts'

/** A rule that a text broke, and where. */
export interface BrokenRule extends Span {
  /** Like `override.en`, `markers` or `phrase.0`. */
  readonly rule: string
  readonly family: string
  readonly weight: number
}

/** One rule, ready to be looked for. */
export interface InjectionRule {
  readonly rule: string
  readonly family: string
  readonly weight: number
  /** Which form of the text it reads: as it is, words, or words in Latin letters. */
  readonly view: 'raw' | 'words' | 'latin'
  readonly pattern: RegExp
}

/** The marks that models use between the parts of a conversation, and what imitates them. */
const MARKERS: readonly InjectionRule[] = [
  {
    rule: 'markers',
    family: 'markers',
    weight: 1,
    view: 'raw',
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>|\b(?:begin|end) (?:of )?(?:the )?system (?:prompt|instructions)\b/giu,
  },
  {
    rule: 'tags',
    family: 'markers',
    weight: 0.6,
    view: 'raw',
    pattern:
      /<\/?(?:system|system[_-]prompt|system[_-]message)>|^[ \t]{0,3}(?:#{2,4} ?system|\[system\]|system prompt) ?:/gimu,
  },
]

/** How many letters may be hidden in tag characters before that alone is an attempt. */
const MOST_TAGS = 8

/** The rules of some languages and the phrases of the caller. */
export function injectionRules(
  languages: readonly PhraseLanguage[],
  phrases: readonly string[],
): readonly InjectionRule[] {
  const own = phrases.map((phrase, index) => {
    // Letters, digits and the dots between sentences: nothing else is left.
    const text = toReadable(phrase, true).text
    if (text === '') throw badOption('promptInjection', `the phrase ${JSON.stringify(phrase)} has no letters`)
    const rule = { rule: `phrase.${index}`, family: `phrase.${index}`, weight: 1 }
    return ruleOf(rule, text.replaceAll('.', '\\.'), { isLatin: true, isSpaced: true })
  })
  const known = languages.flatMap((language) => {
    const { override, phrases: list, ...traits } = LANGUAGES[language]
    return [['override', 1, overrideSource(override)] as const, ...list].map(([family, weight, source]) =>
      ruleOf({ rule: `${family}.${language}`, family, weight }, foldSource(source), traits),
    )
  })
  return [...own, ...MARKERS, ...known]
}

function ruleOf(
  rule: Pick<InjectionRule, 'rule' | 'family' | 'weight'>,
  source: string,
  { isLatin, isSpaced }: { isLatin: boolean; isSpaced: boolean },
): InjectionRule {
  // Spelled-out letters have no spaces left between their words.
  const loose = source.replaceAll(/ \?| /g, ' ?')
  const pattern = new RegExp(isSpaced ? `(?<![\\p{L}\\d])(?:${loose})(?![\\p{L}\\d])` : loose, 'gu')
  return { ...rule, view: isLatin ? 'latin' : 'words', pattern }
}

/** The rules that a text breaks, each once, with the first place, in characters of the text. */
export function brokenRules(text: string, rules: readonly InjectionRule[]): readonly BrokenRule[] {
  const views = new Map<string, TextMap>()
  const viewOf = (view: InjectionRule['view']): TextMap | undefined => {
    if (view === 'raw') return undefined
    const known = views.get(view) ?? toReadable(text, view === 'latin')
    views.set(view, known)
    return known
  }
  const broken = new Map<string, BrokenRule>()
  for (const { rule, family, weight, view, pattern } of rules) {
    const map = viewOf(view)
    const found = (map?.text ?? text).matchAll(pattern).next().value
    if (found === undefined || found[0] === '' || (broken.get(rule)?.weight ?? 0) >= weight) continue
    const span = { start: found.index, end: found.index + found[0].length }
    broken.set(rule, { rule, family, weight, ...(map?.original(span) ?? span) })
  }
  if (countTags(text) > MOST_TAGS) {
    const start = text.search(/[\u{e0020}-\u{e007e}]/u)
    broken.set('hidden-text', { rule: 'hidden-text', family: 'hidden-text', weight: 1, start, end: text.length })
  }
  return [...broken.values()]
}
