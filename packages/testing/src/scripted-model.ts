import {
  type Message,
  type Model,
  type ModelCapabilities,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  messageText,
} from '@turnloop/core'
import { checkHistory, describeProblems } from './check-history.ts'
import { type Chunk, endingOf, type ScriptedReply, type ScriptStep, stepEvents } from './script-step.ts'

/** A model that answers by script and remembers what it was asked. */
export interface ScriptedModel extends Model {
  /** Every request, in order, as frozen copies: what was asked then, whatever happened to the messages since. */
  readonly requests: readonly ModelRequest[]
  /** The indexes of the requests whose signal aborted before their stream had ended. */
  readonly abortedRequests: readonly number[]
  /** What `checkHistory` had against the requests; empty in a healthy test. */
  readonly violations: readonly string[]
}

/** The steps in order, one per request, or a function that looks at the request. */
export type Script =
  | readonly ScriptStep[]
  | ((request: ModelRequest, index: number) => ScriptStep | Promise<ScriptStep>)

/** Options of `scriptedModel()`. */
export interface ScriptedModelOptions {
  /** Default `'scripted'`. */
  provider?: string
  /** Default `'scripted'`. */
  modelId?: string
  contextWindow?: number
  capabilities?: ModelCapabilities
  /** How long the pieces are that text and arguments arrive in. Default: one word. */
  chunk?: Chunk
  /**
   * Awaited before each event is handed out: stop the world between any two of them. While it waits, an abort is
   * answered as `onAbort` says. What it throws, the stream throws.
   */
  beforeEvent?(event: ModelEvent, position: EventPosition): void | Promise<void>
  /**
   * What the stream does when its signal aborts: throw the signal's reason, as `fetch` does (the default); end without a
   * finish; end with an ordinary finish, as models inside the browser do; or take no notice.
   */
  onAbort?: 'throw' | 'end' | 'finish' | 'ignore'
  /**
   * Called for a request that breaks the rules of `checkHistory`. The stream throws it too, but a loop may swallow that.
   * Default: throw it from a task of its own, where nothing can catch it and any test runner sees it.
   */
  onViolation?(error: ModelError): void
}

/** Which event of which request, both counted from 0. */
export interface EventPosition {
  readonly request: number
  readonly event: number
}

/**
 * Create a model that plays a script: no network, no clock, the same every time.
 *
 * Each request takes the next step. A request beyond the last step fails with `internal`, saying what was asked. Every
 * request is checked by `checkHistory`, so a test that sends a history some provider would refuse fails.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = []
  const abortedRequests: number[] = []
  const violations: string[] = []
  const { onViolation = throwUncaught } = options
  const copyRequest = requestCopier()

  async function* play(request: ModelRequest, index: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const violation = violationOf(request, index)
    if (violation !== undefined) {
      violations.push(violation.message)
      onViolation(violation)
      throw violation
    }
    yield* playStep({ step: await stepFor(script, request, index), index, signal, options })
  }

  async function* watch(request: ModelRequest, index: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const note = (): void => void abortedRequests.push(index)
    signal.addEventListener('abort', note, { once: true })
    if (signal.aborted) note()
    try {
      yield* play(request, index, signal)
    } finally {
      signal.removeEventListener('abort', note)
    }
  }

  return {
    provider: options.provider ?? 'scripted',
    modelId: options.modelId ?? 'scripted',
    ...(options.contextWindow !== undefined && { contextWindow: options.contextWindow }),
    ...(options.capabilities !== undefined && { capabilities: options.capabilities }),
    requests,
    abortedRequests,
    violations,
    stream(request, { signal }) {
      const copy = copyRequest(request)
      const index = requests.push(copy) - 1
      return watch(copy, index, signal)
    },
  }
}

interface Play {
  readonly step: ScriptedReply
  readonly index: number
  readonly signal: AbortSignal
  readonly options: ScriptedModelOptions
}

async function* playStep({ step, index, signal, options }: Play): AsyncGenerator<ModelEvent> {
  const { onAbort = 'throw', beforeEvent, chunk = 'word' } = options
  const heard = onAbort === 'ignore' ? new AbortController().signal : signal
  await untilAbort(step.gate, heard)
  for (const [at, event] of stepEvents(step, index, chunk).entries()) {
    await untilAbort(beforeEvent?.(event, { request: index, event: at }), heard)
    if (heard.aborted) return yield* endAborted(onAbort, heard)
    yield event
  }
  const ending = endingOf(step)
  if (ending.kind === 'throw') throw ending.error
  if (ending.kind === 'end') return
  await (ending.untilAbort ? untilAbort(new Promise(() => {}), signal) : new Promise(() => {}))
  yield* endAborted(onAbort, signal)
}

function* endAborted(onAbort: ScriptedModelOptions['onAbort'], signal: AbortSignal): Generator<ModelEvent> {
  if (onAbort === 'throw') throw signal.reason
  if (onAbort === 'finish') yield { type: 'finish', stopReason: 'endTurn' }
}

/** Wait for a promise or for the abort, whichever is first. */
async function untilAbort(wait: void | Promise<void> | Promise<never>, signal: AbortSignal): Promise<void> {
  if (wait === undefined || signal.aborted) return
  let stop = (): void => {}
  const aborted = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([wait, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function stepFor(script: Script, request: ModelRequest, index: number): Promise<ScriptedReply> {
  const step = typeof script === 'function' ? await script(request, index) : script[index]
  if (step === undefined) throw unexpected(request, index)
  return typeof step === 'string' ? { text: step } : step
}

function unexpected({ messages }: ModelRequest, index: number): ModelError {
  const last = messages.slice(-3).map((message) => `- ${describe(message)}`)
  const text = `The script has no step for request ${index + 1}, which ends with:\n${last.join('\n')}`
  return new ModelError('internal', text)
}

function violationOf(request: ModelRequest, index: number): ModelError | undefined {
  const { ok, problems } = checkHistory(request.messages, { request: true })
  if (ok) return undefined
  const text = `Request ${index + 1} would be refused by a provider:\n${describeProblems(problems)}`
  return new ModelError('internal', text)
}

/** One line that tells a message from its neighbours. */
function describe(message: Message): string {
  if (message.role === 'tool') {
    return `tool: ${message.results.map(({ toolName, status }) => `${toolName} ${status}`).join(', ')}`
  }
  const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))
  const asks = calls.length > 0 ? ` asks for ${calls.join(', ')}` : ''
  return `${message.role}: ${JSON.stringify(messageText(message).slice(0, 80))}${asks}`
}

function throwUncaught(error: ModelError): void {
  setTimeout(() => {
    throw error
  })
}

/** Makes frozen copies of requests. A frozen message is copied once: a long turn asks with the same ones again. */
function requestCopier(): (request: ModelRequest) => ModelRequest {
  const copies = new WeakMap<Message, Message>()
  const copyMessage = (message: Message): Message => {
    const copy = copies.get(message) ?? freeze(structuredClone(message))
    if (Object.isFrozen(message)) copies.set(message, copy)
    return copy
  }
  return ({ messages, ...rest }) => freeze({ ...structuredClone(rest), messages: messages.map(copyMessage) })
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) freeze(inner)
  return value
}
