import type { Guardrail } from '@turnloop/core'
import {
  checkOptions,
  type GuardrailSettings,
  isListOf,
  isTexts,
  optional,
  withSettings,
} from '../guardrail-settings.ts'
import { type BrokenRule, brokenRules, injectionRules } from './injection-rules.ts'
import { LANGUAGES, type PhraseLanguage } from './languages.ts'

/** Options of `promptInjection`. */
export interface PromptInjectionOptions extends GuardrailSettings {
  /** More phrases, each enough to block. Case, spaces, accents and punctuation do not matter. */
  phrases?: readonly string[]
  /** The score from which a text is blocked: what its rules weigh together, each family once. Default 1; strong phrases weigh 1. */
  threshold?: number
  /** Whose phrases are known. Default: all. */
  languages?: readonly PhraseLanguage[]
}

const CODES = Object.keys(LANGUAGES)

/**
 * A guardrail against texts that try to take the model over: "ignore your previous instructions" and its kin, in twelve
 * languages, however they are spaced or spelled.
 *
 * Blocks with the trigger `prompt_injection`; `data` has the `score` and the `rules` that fired, with their places. Phases:
 * `['input']` unless given; add `'tool-result'` to read what tools bring. A filter of phrases, no proof: see the guardrails
 * guide. Throws `bad-option`.
 */
export function promptInjection(options: PromptInjectionOptions = {}): Guardrail {
  checkOptions('promptInjection', options, {
    phrases: optional(isTexts),
    threshold: optional((value) => (typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0')),
    languages: optional(isListOf(...CODES)),
  })
  const { phrases = [], threshold = 1 } = options
  const languages = options.languages ?? CODES.filter(isLanguage)
  const rules = injectionRules(languages, phrases)
  return withSettings(options, {
    name: 'prompt-injection',
    phases: ['input'],
    check: ({ texts }) => {
      const broken = texts.flatMap((text, index) => brokenRules(text, rules).map((rule) => ({ ...rule, text: index })))
      const score = scoreOf(broken)
      if (score < threshold) return undefined
      return {
        block: 'The text reads like an attempt to change what the assistant was told.',
        trigger: 'prompt_injection',
        data: {
          score,
          rules: broken.map(({ rule, weight, text, start, end }) => ({ rule, weight, text, start, end })),
        },
      }
    },
  })
}

/** What the rules weigh together: of each family the heaviest, so that saying it in two languages does not count twice. */
function scoreOf(broken: readonly BrokenRule[]): number {
  const families = new Map<string, number>()
  for (const { family, weight } of broken) families.set(family, Math.max(weight, families.get(family) ?? 0))
  const sum = [...families.values()].reduce((total, weight) => total + weight, 0)
  // Weights have one decimal place; sums of them may not.
  return Math.round(sum * 1000) / 1000
}

function isLanguage(code: string): code is PhraseLanguage {
  return code in LANGUAGES
}
