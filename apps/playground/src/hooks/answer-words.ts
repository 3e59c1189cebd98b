import { defineGuardrail, type Guardrail } from '@turnloop/core'
import { topic } from '@turnloop/guardrails'
import type { CheckSettings } from '../settings/check-settings.ts'

/** Withholds an answer with a listed word in it. `undefined` where it is off or no word is listed: there is nothing to look for. */
export function answerWords(settings: CheckSettings): Guardrail | undefined {
  if (!holdsAnswersBack(settings)) return undefined
  const list = topic({ deny: listedWords(settings.words) })
  return defineGuardrail({
    name: 'answer words',
    phases: ['output'],
    check: async (subject, context) => {
      const verdict = await list.check(subject, context)
      // It finds the words; what they mean here is not that the answer is off topic.
      return verdict && { block: 'It has a word that is on your list.', trigger: 'output_not_allowed' }
    },
  })
}

/** Whether an answer is shown only once it has been checked. */
export function holdsAnswersBack({ checksAnswers, words }: CheckSettings): boolean {
  return checksAnswers && listedWords(words).length > 0
}

/** The words of the list, one each. What has no letter, digit or sign to look for is left out. */
export function listedWords(words: string): string[] {
  return words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => /[^\s*]/.test(word))
}
