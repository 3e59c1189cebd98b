import type { ErrorRecord } from '@turnloop/core'

/** What went wrong, for people. The error's own message says on what, and how to mend it. */
export interface ErrorWords {
  readonly title: string
  /** Whether the way on leads through the settings. */
  readonly opensSettings: boolean
}

const FIXED_IN_SETTINGS = true
const FIXED_BY_WAITING = false

const WORDS: Readonly<Partial<Record<ErrorRecord['code'], readonly [title: string, opensSettings: boolean]>>> = {
  'model-unreachable': ['The model cannot be reached', FIXED_IN_SETTINGS],
  'model-unauthorized': ['The key was refused', FIXED_IN_SETTINGS],
  'model-not-found': ['There is no such model at this address', FIXED_IN_SETTINGS],
  'model-bad-response': ['The address answered, but not as a model', FIXED_IN_SETTINGS],
  'model-refused-request': ['The model refused the request', FIXED_IN_SETTINGS],
  'bad-option': ['The model is not set up yet', FIXED_IN_SETTINGS],
  'model-rate-limited': ['The provider asks for a pause', FIXED_BY_WAITING],
  'model-overloaded': ['The model is overloaded', FIXED_BY_WAITING],
  'stream-cut': ['The answer broke off', FIXED_BY_WAITING],
  'output-invalid': ['The answer does not have the form that was asked for', FIXED_BY_WAITING],
  'empty-reply': ['The model answered with nothing', FIXED_BY_WAITING],
  'context-too-long': ['The conversation is too long for this model', FIXED_IN_SETTINGS],
  'tool-list-failed': ['The tools could not be loaded', FIXED_BY_WAITING],
  'worker-failed-to-load': ['The data worker could not be loaded', FIXED_BY_WAITING],
}

/** Put an error into words. */
export function errorWords(error: ErrorRecord): ErrorWords {
  const [title, opensSettings] = WORDS[error.code] ?? ['This turn failed', FIXED_BY_WAITING]
  return { title, opensSettings }
}
