import { type Model, ModelError, type ModelEvent, type ModelRequest, type Usage } from '@turnloop/core'
import { type BrowserMessage, type BrowserModelApi, type BrowserSession, LANGUAGES } from './browser-model-api.ts'
import { plainPrompt } from './json-calls/plain-prompt.ts'
import { jsonReplyReader, textReplyReader } from './json-calls/reply-reader.ts'
import { asksForCalls, replySchema } from './json-calls/reply-schema.ts'

/**
 * The model that the browser brings with it, through the Prompt API.
 *
 * Each request is a session of its own, which is closed behind it. Tools are called in JSON that the browser keeps to a
 * schema. Throws `ModelError`: `model-unreachable` where the browser has no model to offer, `bad-option` where it has to be
 * downloaded first, `context-too-long`, and `model-failed` for the rest. On abort the stream ends.
 */
export function browserModel(api: BrowserModelApi | undefined): Model {
  let contextWindow: number | undefined
  return {
    provider: 'browser',
    modelId: 'browser-model',
    capabilities: { structuredOutput: true },
    /** Known from the first answer on. */
    get contextWindow() {
      return contextWindow
    },
    async *stream(request, { signal }) {
      if (api === undefined) throw new ModelError('model-unreachable', NO_MODEL)
      const opened = await open(api, request, signal)
      if (opened === undefined) return
      const { session, last } = opened
      try {
        if (Number.isFinite(session.contextWindow)) contextWindow = session.contextWindow
        yield { type: 'started', modelId: 'browser-model' }
        yield* read(session, { request, last, signal })
      } catch (error) {
        if (!signal.aborted) throw toModelError(error)
      } finally {
        session.destroy()
      }
    },
  }
}

const NO_MODEL = 'This browser offers no model of its own. Choose another in the model settings.'

interface Opened {
  readonly session: BrowserSession
  readonly last: BrowserMessage
}

async function open(api: BrowserModelApi, request: ModelRequest, signal: AbortSignal): Promise<Opened | undefined> {
  const { system, turns } = plainPrompt(request)
  const last = turns.at(-1)
  if (last === undefined) throw new ModelError('model-refused-request', 'There is nothing to ask the model.')
  const before: BrowserMessage[] = [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...turns.slice(0, -1),
  ]
  try {
    return { session: await api.create({ ...LANGUAGES, initialPrompts: before, signal }), last }
  } catch (error) {
    if (signal.aborted) return undefined
    throw toModelError(error)
  }
}

interface Asked {
  readonly request: ModelRequest
  readonly last: BrowserMessage
  readonly signal: AbortSignal
}

async function* read(session: BrowserSession, { request, last, signal }: Asked): AsyncGenerator<ModelEvent> {
  const schema = replySchema(request)
  // The form is told in the instructions already, in fewer tokens.
  const constraint = schema && { responseConstraint: schema, omitResponseConstraintInput: asksForCalls(request) }
  const reply = asksForCalls(request) ? jsonReplyReader() : textReplyReader()
  // Read by hand: WebKit's streams cannot be iterated.
  const pieces = session.promptStreaming([last], { ...constraint, signal }).getReader()
  try {
    for (let next = await pieces.read(); !next.done; next = await pieces.read()) yield* reply.read(next.value)
  } finally {
    pieces.releaseLock()
  }
  if (signal.aborted) return
  yield* reply.end({ stopReason: 'endTurn', ...usageOf(session.contextUsage) })
}

/** The browser counts what a session holds, which is the conversation and the answer together. */
function usageOf(totalTokens: number | undefined): { usage?: Usage } {
  return totalTokens === undefined || !Number.isFinite(totalTokens) ? {} : { usage: { totalTokens } }
}

function toModelError(error: unknown): ModelError {
  const name = error instanceof Error ? error.name : ''
  switch (name) {
    case 'NotSupportedError':
      return new ModelError('model-unreachable', NO_MODEL, { cause: error })
    case 'NotAllowedError':
      return new ModelError(
        'bad-option',
        'The model of this browser is not downloaded yet. Start that in the model settings.',
        {
          cause: error,
        },
      )
    case 'QuotaExceededError':
      return new ModelError('context-too-long', 'The conversation is longer than the model of this browser can take.', {
        cause: error,
      })
    default:
      return new ModelError('model-failed', 'The model of this browser broke off its answer. Try again.', {
        cause: error,
      })
  }
}
