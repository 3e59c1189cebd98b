import { type Observable, observable } from '../app/observable.ts'

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

const KEY = 'ask-your-data/checks'

/** The checks and hooks of this page. Another tab of it hears of a change: a check that is on is on everywhere. */
export const checkSettings: Observable<CheckSettings> = createCheckSettings()

/** Switch checks and hooks on or off. The next question is the first that they see. */
export function setCheckSettings(changes: Partial<CheckSettings>): void {
  checkSettings.set({ ...checkSettings.get(), ...changes })
}

function createCheckSettings(): Observable<CheckSettings> {
  const settings = observable(readSettings())
  settings.subscribe(() => {
    const text = JSON.stringify(settings.get())
    try {
      if (localStorage.getItem(KEY) !== text) localStorage.setItem(KEY, text)
    } catch {
      // Storage may be off or full. The choice then holds until the page is closed.
    }
  })
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) settings.set(readSettings())
  })
  return settings
}

function readSettings(): CheckSettings {
  const stored = readStored()
  return {
    guardsQuestions: stored.guardsQuestions === true,
    onPersonalData: stored.onPersonalData === 'hold-back' ? 'hold-back' : 'mask',
    checksAnswers: stored.checksAnswers === true,
    words: typeof stored.words === 'string' ? stored.words : 'guess*, probably',
    timesTools: stored.timesTools === true,
  }
}

function readStored(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    // What was stored is an object by our own hand; anything else reads as nothing switched on.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
