import type { ErrorRecord } from '@turnloop/core'

/** What went wrong and the way on, for people. */
export interface ErrorWords {
  readonly title: string
  readonly advice: string
  /** Whether the way on leads through the settings. */
  readonly opensSettings: boolean
}

const FIXED_IN_SETTINGS = true
const WAIT = false

const WORDS: Readonly<Partial<Record<ErrorRecord['code'], readonly [string, string, boolean]>>> = {
  'model-unreachable': [
    'The model cannot be reached',
    'Is the address right, is its server running, and does it allow requests from this page (CORS)?',
    FIXED_IN_SETTINGS,
  ],
  'model-unauthorized': ['The key was refused', 'Check the key and that it may use this model.', FIXED_IN_SETTINGS],
  'model-not-found': [
    'There is no such model at this address',
    'Check the name of the model and the address.',
    FIXED_IN_SETTINGS,
  ],
  'model-bad-response': [
    'The address answered, but not as a model',
    'It may be a web page instead of an API. The address of an OpenAI-compatible API usually ends in /v1.',
    FIXED_IN_SETTINGS,
  ],
  'model-refused-request': ['The model refused the request', 'What it said is below.', FIXED_IN_SETTINGS],
  'model-rate-limited': [
    'The provider asks for a pause',
    'Too many requests in a short time. Try again in a moment.',
    WAIT,
  ],
  'model-overloaded': ['The model is overloaded', 'Try again in a moment.', WAIT],
  'stream-cut': ['The answer broke off', 'The connection closed before the model had finished.', WAIT],
  'empty-reply': ['The model answered with nothing', 'Try again, or put the question differently.', WAIT],
  'context-too-long': ['The conversation is too long for this model', 'Go on in a new session.', WAIT],
  'tool-list-failed': ['The tools could not be loaded', 'Try again; if it stays so, reload the page.', WAIT],
  'worker-failed-to-load': ['The data worker could not be loaded', 'Try again; if it stays so, reload the page.', WAIT],
  'bad-option': ['The model is not set up yet', 'What is missing is below.', FIXED_IN_SETTINGS],
}

/** Put an error into words. The error's own message stands below them. */
export function errorWords(error: ErrorRecord): ErrorWords {
  const known = WORDS[error.code]
  if (known === undefined) {
    return { title: 'This turn failed', advice: 'The conversation is kept. You can try again.', opensSettings: false }
  }
  const [title, advice, opensSettings] = known
  return { title, advice, opensSettings }
}
