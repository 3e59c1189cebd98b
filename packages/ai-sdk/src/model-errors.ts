import { isTurnloopError, ModelError, type TurnloopErrorCode } from '@turnloop/core'
import { type ErrorReport, reportError } from './error-report.ts'

/** Which model an error is about. */
export interface ModelName {
  readonly provider: string
  readonly modelId: string
}

/**
 * Turn what `doStream` threw, or an error part of its stream, into a `ModelError`.
 *
 * `hasAnswered`: the server had begun to answer. The message says what failed, what the server said, and the repair.
 * `facts`: `provider`, `modelId`, `isRetryable`, and where known `status`, `url` and `retryAfterMs`; never a key or a
 * header. Our own errors pass unchanged.
 */
export function toModelError(error: unknown, model: ModelName, hasAnswered: boolean): Error {
  if (isTurnloopError(error)) return error
  const report = reportError(error)
  const code = codeOf(report, hasAnswered)
  const { retryAfterMs, status, url } = report
  return modelError(code, describeFailure(code, report, { name: nameOf(model), hasAnswered }), model, {
    cause: error,
    facts: {
      isRetryable: isRetryable(code, report, hasAnswered),
      ...(status !== undefined && { status }),
      ...(url !== undefined && { url }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  })
}

/** The error for an answer that is no stream of events: a page, or a JSON document. */
export function notAStream(contentType: string, model: ModelName): ModelError {
  const said = contentType.includes('html') ? 'HTML' : contentType
  return modelError('model-bad-response', badResponse(nameOf(model), said), model, { facts: { isRetryable: false } })
}

/**
 * The error for a reply whose finish word is an error ("interrupted" and the like) and that had no error part.
 *
 * `said` is the provider's own explanation. A call that the model cannot write (Gemini's `MALFORMED_FUNCTION_CALL` and its
 * kin) is not asked for again: the same request has the same end.
 */
export function brokenReply(word: string, model: ModelName, said?: string): ModelError {
  const name = nameOf(model)
  if (word === 'interrupted') return modelError('stream-cut', cut(name), model, { facts: { isRetryable: true } })
  const reason = said === undefined ? word : `${word}, ${said.replace(/\.$/, '').slice(0, 400)}`
  return modelError('model-failed', failed(name, reason), model, {
    facts: { isRetryable: !/tool|function/i.test(word) },
  })
}

function modelError(
  code: TurnloopErrorCode,
  message: string,
  { modelId, provider }: ModelName,
  { cause, facts }: { cause?: unknown; facts: ModelError['facts'] },
): ModelError {
  return new ModelError(code, message, { cause, facts: { provider, modelId, ...facts } })
}

// OpenAI, Anthropic, Google, Mistral, xAI, Groq, llama.cpp, vLLM, LM Studio, Ollama, WebLLM.
const TOO_LONG =
  /context[\s_-]?(length|size|window|limit)|(prompt|input) is too long|maximum prompt length|input token count|too many (input )?tokens|reduce the length/i

const BY_STATUS: ReadonlyMap<number, TurnloopErrorCode> = new Map([
  [401, 'model-unauthorized'],
  [403, 'model-unauthorized'],
  [404, 'model-not-found'],
  [405, 'model-bad-response'],
  [408, 'model-overloaded'],
  [409, 'model-failed'],
  [413, 'context-too-long'],
  [429, 'model-rate-limited'],
  [502, 'model-overloaded'],
  [503, 'model-overloaded'],
  [504, 'model-overloaded'],
  [529, 'model-overloaded'],
])

// With these the text may mention a context and mean something else: rate limits are told in tokens too.
const MEANS_ITSELF: ReadonlySet<number | undefined> = new Set([401, 403, 404, 429])

// Error classes of the AI SDK, and the type and code words of payloads that come without a status.
const BY_WORD: readonly (readonly [RegExp, TurnloopErrorCode])[] = [
  [/overloaded|unavailable/i, 'model-overloaded'],
  [/rate_limit|quota|resource_exhausted/i, 'model-rate-limited'],
  [/APIKey|permission|authentication/i, 'model-unauthorized'],
  [/not_found|NoSuchModel/i, 'model-not-found'],
  [/too_large/i, 'context-too-long'],
  [/JSONParse|TypeValidation|InvalidResponse|EmptyResponse/, 'model-bad-response'],
  [/invalid|unsupported/i, 'model-refused-request'],
]

function codeOf(report: ErrorReport, hasAnswered: boolean): TurnloopErrorCode {
  const { isHtml, isNetwork, status, text, words } = report
  if (isNetwork) return hasAnswered || status !== undefined ? 'stream-cut' : 'model-unreachable'
  if (/without a finish reason/i.test(text)) return 'stream-cut'
  if (!MEANS_ITSELF.has(status) && TOO_LONG.test(`${text} ${words}`)) return 'context-too-long'
  // Google answers 400 to a wrong key.
  if (/api key not valid/i.test(text)) return 'model-unauthorized'
  if (status === undefined) return BY_WORD.find(([word]) => word.test(words))?.[1] ?? 'model-failed'
  const known = BY_STATUS.get(status) ?? codeOfRange(status)
  // A page for people, and no word about a key or a limit: this is some other server.
  return isHtml && /refused|not-found/.test(known) ? 'model-bad-response' : known
}

function codeOfRange(status: number): TurnloopErrorCode {
  if (status >= 500) return 'model-failed'
  return status < 400 ? 'model-bad-response' : 'model-refused-request'
}

function isRetryable(code: TurnloopErrorCode, report: ErrorReport, hasAnswered: boolean): boolean {
  // An empty account answers 429 like a busy one, and waiting does not fill it.
  if (/unauthorized|not-found|refused|context/.test(code) || report.words.includes('insufficient_quota')) return false
  return report.isRetryable ?? (hasAnswered || code !== 'model-bad-response')
}

/** A server on the machine itself is there also without a network. */
function whyUnreachable(url = ''): string {
  const isLocal = /^https?:\/\/(localhost|127\.|\[::1\])/.test(url)
  if (globalThis.navigator?.onLine === false && !isLocal) return 'This device is offline: connect it, then try again.'
  return "Either no server runs there, or it does not let this page in (CORS): start it, allow this page's origin, or use a proxy."
}

function describeFailure(
  code: TurnloopErrorCode,
  report: ErrorReport,
  { hasAnswered, name }: { name: string; hasAnswered: boolean },
): string {
  const { isHtml, retryAfterMs, status, text, url } = report
  const said = [url, status && `HTTP ${status}`, isHtml ? 'HTML' : text.replace(/\.$/, '')].filter(Boolean).join(', ')
  const later = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
  switch (code) {
    case 'model-unreachable':
      return `${name} could not be reached${url === undefined ? '' : ` at ${url}`}. ${whyUnreachable(url)}`
    case 'stream-cut':
      return cut(name)
    case 'model-unauthorized':
      return `${name} did not accept the API key: ${said}. Check the key.`
    case 'model-not-found':
      return `${name} was not found: ${said}. Check the model's name and the base URL.`
    case 'model-rate-limited':
      return `${name} takes no more requests for now: ${said}. Try again ${later}.`
    case 'model-overloaded':
      return `${name} is overloaded: ${said}. Try again ${later}.`
    case 'context-too-long':
      return `The conversation is too long for ${name}: ${said}. Shorten it.`
    case 'model-refused-request':
      return `${name} refused the request: ${said}.`
    case 'model-bad-response':
      return hasAnswered ? `${name} sent something that cannot be read: ${said}. Try again.` : badResponse(name, said)
    default:
      return failed(name, said)
  }
}

function badResponse(name: string, said: string): string {
  return `${name} answered something that is no reply: ${said}. Is the base URL right?`
}

function cut(name: string): string {
  return `The connection to ${name} was cut before the reply was complete. Try again.`
}

function failed(name: string, said: string): string {
  return `${name} failed: ${said}. Try again.`
}

function nameOf({ modelId, provider }: ModelName): string {
  return `${modelId} (${provider})`
}
