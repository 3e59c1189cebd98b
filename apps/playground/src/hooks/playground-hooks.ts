import { defineHooks, type HookSet } from '@turnloop/core'
import type { CheckSettings } from '../settings/check-settings.ts'
import { answerWords } from './answer-words.ts'
import { personalData } from './personal-data.ts'
import { toolTimes } from './tool-times.ts'

/**
 * The hooks that are switched on, for `agent.with({ hooks })`: an empty list where none is.
 *
 * An answer that is checked is held until it has passed, so that no character of one that does not is ever shown.
 */
export function playgroundHooks(settings: CheckSettings): readonly HookSet[] {
  const { guardsQuestions, onPersonalData, timesTools } = settings
  const words = answerWords(settings)
  if (!guardsQuestions && words === undefined && !timesTools) return []
  return [
    defineHooks({
      ...(guardsQuestions && { preHooks: [personalData(onPersonalData)] }),
      ...(words !== undefined && { postHooks: [words], outputMode: 'buffer' as const }),
      ...(timesTools && { toolHooks: [toolTimes] }),
    }),
  ]
}
