import { keptSettings } from '../app/kept-settings.ts'
import type { Observable } from '../app/observable.ts'

/** Which checks and hooks are on. Nothing is, until somebody switches it on. */
export interface CheckSettings {
  /** Look for personal data in questions. */
  readonly guardsQuestions: boolean
  /** What becomes of a question with personal data in it. */
  readonly onPersonalData: 'mask' | 'hold-back'
  /** Look for the words below in answers. */
  readonly checksAnswers: boolean
  /** As they were written, between commas. */
  readonly words: string
  /** Note how long each tool took. */
  readonly timesTools: boolean
}

/** The checks and hooks of this page. Another tab of it hears of a change: a check that is on is on everywhere. */
export const checkSettings: Observable<CheckSettings> = keptSettings('ask-your-data/checks', {
  read: toCheckSettings,
  isShared: true,
})

/** Switch checks and hooks on or off. The next question is the first that they see. */
export function setCheckSettings(changes: Partial<CheckSettings>): void {
  checkSettings.set({ ...checkSettings.get(), ...changes })
}

function toCheckSettings(stored: Readonly<Record<string, unknown>>): CheckSettings {
  return {
    guardsQuestions: stored.guardsQuestions === true,
    onPersonalData: stored.onPersonalData === 'hold-back' ? 'hold-back' : 'mask',
    checksAnswers: stored.checksAnswers === true,
    words: typeof stored.words === 'string' ? stored.words : 'guess*, probably',
    timesTools: stored.timesTools === true,
  }
}
