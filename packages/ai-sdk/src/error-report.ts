import { APICallError } from '@ai-sdk/provider'

/** What an error of any provider's shape says, in one shape. */
export interface ErrorReport {
  /** What the server said, else the error's own message. */
  readonly text: string
  /** The error's class and the provider's type and code words: `AI_LoadAPIKeyError`, `overloaded_error`. */
  readonly words: string
  readonly status: number | undefined
  /** Without user, password, query and fragment, where keys are put. */
  readonly url: string | undefined
  readonly retryAfterMs: number | undefined
  /** What the provider thinks. */
  readonly isRetryable: boolean | undefined
  /** The answer was a page for people. */
  readonly isHtml: boolean
  /** The connection failed, rather than the server. */
  readonly isNetwork: boolean
}

const MAX_TEXT = 400

/**
 * Read an error that a provider threw or streamed.
 *
 * Understood: `APICallError` of any copy of the AI SDK, its stream error objects, bare payloads
 * (`{ error: { message, type, code } }`, `{ error: 'text' }`, `{ message }`, `{ detail }`), plain errors, text.
 */
export function reportError(error: unknown): ErrorReport {
  const call = APICallError.isInstance(error) ? error : undefined
  const body = call?.responseBody?.trim() ?? ''
  const headers = call?.responseHeaders ?? {}
  const payload = call === undefined ? error : (parseJson(body) ?? call.data)
  const isHtml = /^<(!doctype|html)/i.test(body) || (headers['content-type'] ?? '').includes('html')
  // From the inside out: the innermost says most.
  const shells = [at(at(payload, 'response'), 'error'), at(payload, 'error'), payload, isHtml ? '' : body, error]
  const isRetryable = at(error, 'isRetryable')
  return {
    text: (shells.map(saying).find((text) => text !== '') ?? 'no reason given').slice(0, MAX_TEXT),
    words: [error, ...shells]
      .flatMap((shell) => ['name', 'type', 'code', 'status'].map((key) => textOf(at(shell, key))))
      .join(' '),
    status: [error, ...shells].map(statusIn).find((status) => status !== undefined),
    url: call && withoutSecrets(call.url),
    retryAfterMs: waitOf(headers) ?? waitInBody(body),
    isRetryable: typeof isRetryable === 'boolean' ? isRetryable : undefined,
    isHtml,
    isNetwork: isNetworkFailure(error),
  }
}

function saying(shell: unknown): string {
  return textOf(shell) || textOf(at(shell, 'message')) || textOf(at(shell, 'detail'))
}

function statusIn(shell: unknown): number | undefined {
  const values = ['statusCode', 'status_code', 'status', 'code'].map((key) => Number(at(shell, key)))
  return values.find((value) => Number.isInteger(value) && value >= 200 && value <= 599)
}

function waitOf(headers: Record<string, string>): number | undefined {
  const after = headers['retry-after'] ?? ''
  const waits = [
    Number.parseFloat(headers['retry-after-ms'] ?? ''),
    Number(after || 'none') * 1000,
    Date.parse(after) - Date.now(),
  ]
  const wait = waits.find(Number.isFinite)
  return wait === undefined ? undefined : Math.max(0, Math.ceil(wait))
}

/** Google says it in the body, which a page can read without any CORS header. */
function waitInBody(body: string): number | undefined {
  const seconds = /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

// What fetch says in Chromium, Firefox, Safari and Node, before an answer and in the middle of one.
const NETWORK_TEXT =
  /failed to fetch|fetch failed|load failed|network ?error|input stream|^terminated|(network|internet) connection|connect to the server|hostname/i
const NETWORK_CODE = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENET|UND_ERR_)/

function isNetworkFailure(error: unknown, depth = 0): boolean {
  if (error === undefined || depth > 4) return false
  const isFetch = at(error, 'name') === 'TypeError' && NETWORK_TEXT.test(textOf(at(error, 'message')))
  return isFetch || NETWORK_CODE.test(textOf(at(error, 'code'))) || isNetworkFailure(at(error, 'cause'), depth + 1)
}

function withoutSecrets(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { host, pathname, protocol } = new URL(address)
  return `${protocol}//${host}${pathname}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
