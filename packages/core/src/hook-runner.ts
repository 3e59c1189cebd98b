import { ABANDONED, linkedController, settleWithin } from './abort.ts'
import { TurnloopError, toErrorRecord } from './errors.ts'
import type { HookEvent } from './events.ts'
import type { HookContext } from './hook-context.ts'
import { deepFreeze, type JsonValue } from './json.ts'
import type { Message, UserMessage } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import { rewriteOverlay } from './rewrite-overlay.ts'
import type { RunnableAgent } from './runnable-agent.ts'
import type { RunningTurn } from './running-turn.ts'
import { StateLook } from './state-draft.ts'
import { type HookWord, isCancel, readThrown, readVerdict } from './turn-control.ts'
import type { TurnResult } from './turn-result.ts'
import { addUsage } from './usage.ts'

/** A hook in its place. */
export interface PlacedHook {
  readonly name: string
  readonly slot: string
  readonly timeoutMs?: number
  readonly callId?: string
}

/** How one run of a hook ended. */
export type HookEnd =
  | { readonly word: HookWord; readonly value: unknown; readonly hasThrown?: undefined }
  | { readonly word: HookWord; readonly error: unknown; readonly hasThrown: true }
  /** A failure that says nothing: isolated, or fatal where the place says so. */
  | { readonly word?: undefined; readonly error: unknown; readonly hasThrown: true }

/** What is told of a run: what the hook looks at, and what it made of that. Absent: not fit to be told. */
export interface HookTelling {
  readonly before?: JsonValue
  after?(value: unknown): JsonValue | undefined
  /** The trigger of a block that names none. */
  readonly trigger?: string
  /** It observes an end: it still has the grace time where the turn was stopped. */
  readonly isAfter?: true
  /** What it returns is no verdict. */
  readonly isPlain?: true
  /** Whether an error only passes through it, and is no failure of its own. */
  isPassing?(error: unknown): boolean
}

/** How deep agents may run each other, from hooks too. */
const DEEPEST = 4

/** Runs the hooks of one turn: one at a time, within their time, with paired events; keeps what went wrong. */
export class HookRunner {
  readonly turn: RunningTurn
  readonly redact: (text: string) => string
  /** What hooks let join the transcript, until somebody takes it. */
  injected: UserMessage[] = []

  constructor(turn: RunningTurn, redact: ((text: string) => string) | undefined) {
    this.turn = turn
    this.redact = redact ?? ((text) => text)
  }

  /**
   * Run a hook. Never rejects, other than with the turn's abort reason: the hook then had the grace time.
   *
   * What it changed of the state is stored when it settles; what it was abandoned with is not.
   */
  async run(hook: PlacedHook, call: (context: HookContext) => unknown, telling: HookTelling = {}): Promise<HookEnd> {
    const { turn } = this
    const look = new StateLook(() => turn.state)
    // Observers of an end that came by Stop get their own time.
    const host = telling.isAfter && turn.signal.aborted ? undefined : turn.signal
    const { controller, unlink } = linkedController(host)
    const { timeoutMs } = hook
    const late = new TurnloopError('internal', `${hook.name} did not finish within ${timeoutMs} ms.`)
    const stopTimer = timeoutMs === undefined ? undefined : turn.clock.setTimer(() => controller.abort(late), timeoutMs)
    const tell = this.#begin(hook, telling.before)
    const run: Run = { isOpen: true, look, signal: controller.signal }
    try {
      const running = (async () => call(this.#contextFor(run)))()
      // Its own time limit is no reason to wait any longer; the turn's Stop gives it the grace time.
      const end = await Promise.race([
        settleWithin(running, { signal: turn.signal, graceMs: turn.graceMs, clock: turn.clock }),
        ...(timeoutMs === undefined ? [] : [rejectWith(controller.signal, turn.signal)]),
      ])
      if (end === ABANDONED) throw turn.signal.reason
      this.#keepState(look)
      const word: HookWord = telling.isPlain ? { kind: 'go' } : readVerdict(end, telling.trigger ?? 'validation_failed')
      tell(word.kind === 'block' ? 'hook-blocked' : 'hook-finished', telling.after?.(end))
      return { word, value: end }
    } catch (error) {
      return this.#thrown(error, hook, {
        tell,
        isPassing: telling.isPassing?.(error) === true,
        isAfter: telling.isAfter === true,
      })
    } finally {
      run.isOpen = false
      stopTimer?.()
      unlink()
    }
  }

  #thrown(error: unknown, hook: PlacedHook, { tell, isPassing, isAfter }: Thrown): HookEnd {
    const { turn } = this
    const word = readThrown(error)
    if (word?.kind === 'block') tell('hook-blocked', undefined, error)
    else if (word !== undefined) tell('hook-finished')
    else tell('hook-failed', undefined, error)
    if (word === undefined && !isPassing && isCancel(error) && !turn.signal.aborted) turn.abort(error)
    // Cancel is never swallowed.
    if (turn.signal.aborted && !isAfter) throw turn.signal.reason
    if (word !== undefined) return { word, error, hasThrown: true }
    if (!isPassing) turn.hookErrors.push({ hook: hook.name, slot: hook.slot, error: this.record(error) })
    return { error, hasThrown: true }
  }

  /** An error as data, redacted. */
  record(error: unknown): ReturnType<typeof toErrorRecord> {
    const { facts: _facts, ...record } = toErrorRecord(error, 'internal')
    return {
      ...record,
      message: this.redact(record.message),
      ...(record.cause && { cause: this.redact(record.cause) }),
    }
  }

  /** A value as it may be told: plain, redacted; `undefined` where it cannot be. */
  tellable(value: unknown): JsonValue | undefined {
    try {
      return redactAll(toPlainJson(value, 'value'), this.redact)
    } catch {
      return undefined
    }
  }

  /** Let a text join the transcript before the next model call. */
  inject(...messages: readonly (string | UserMessage)[]): void {
    this.injected.push(...messages.map((given) => toInjected(given, this.turn.clock.now())))
  }

  /** Take what hooks wanted to join the transcript. */
  takeInjected(): readonly UserMessage[] {
    const { injected } = this
    this.injected = []
    return injected
  }

  #begin(hook: PlacedHook, value: JsonValue | undefined): Tell {
    const { turn } = this
    const id = crypto.randomUUID()
    const startedAt = turn.clock.now()
    const { name, slot, callId } = hook
    const base = { id, hook: name, slot, ...(callId !== undefined && { callId }) }
    const told = value === undefined ? undefined : this.tellable(value)
    turn.emit({ type: 'hook-started', ...base, ...(told !== undefined && { value: told }) })
    return (type, after, error) => {
      const durationMs = Math.max(0, turn.clock.now() - startedAt)
      const made = after === undefined ? undefined : this.tellable(after)
      turn.emit({
        type,
        ...base,
        durationMs,
        ...(made !== undefined && { value: made }),
        ...(error !== undefined && { error: this.record(error) }),
      })
    }
  }

  #keepState(look: StateLook): void {
    const patch = look.takePatch()
    if (patch !== undefined) this.turn.append({ type: 'state-changed', patch })
  }

  #contextFor(run: Run): HookContext {
    const { turn } = this
    const { look, signal } = run
    const { agent, session, userId, debug, metadata, extra, logger } = turn.info
    return {
      agent,
      ...(session !== undefined && { session }),
      ...(userId !== undefined && { userId }),
      debug,
      metadata,
      extra,
      logger,
      turnId: turn.turnId,
      iteration: turn.fold.iteration,
      phase: turn.phase,
      signal,
      get state() {
        return look.draft
      },
      set state(whole) {
        look.draft = whole
      },
      get messages() {
        return snapshotOf(turn.messages)
      },
      get turnMessages() {
        return snapshotOf(turn.fold.messages)
      },
      emit: (name, data) => {
        const told = run.isOpen ? this.tellable(data) : undefined
        if (told !== undefined) turn.emit({ type: 'custom', name, data: told })
      },
      run: (other, input) => this.runAgent(other, input, signal),
      inject: (...messages) => {
        if (run.isOpen) this.inject(...messages)
      },
      rewriteTranscript: (rewrite) => {
        if (run.isOpen) turn.rewrite((source) => rewriteOverlay(source, rewrite))
      },
    }
  }

  /** Run another agent inside the turn; see `HookContext.run`. */
  async runAgent<Output>(
    agent: RunnableAgent<Output>,
    input: string | readonly Message[],
    signal: AbortSignal,
  ): Promise<TurnResult<Output>> {
    const { turn } = this
    const depth = turn.depth + 1
    if (depth > DEEPEST) throw new TurnloopError('bad-input', `Agents may run each other at most ${DEEPEST} deep.`)
    const nested = agent.turn(
      // Which inputs it takes is its own business.
      input as never,
      { signal, depth, onEvent: (event) => turn.forward(event, `hook:${agent.name}`) },
    )
    // An agent's turn gives just this.
    const result = (await nested.untilDone()) as TurnResult<Output>
    turn.fold.usage = addUsage(turn.fold.usage, result.usage)
    const { kind } = result.outcome
    if (kind !== 'completed') {
      const why = result.outcome.kind === 'failed' ? `: ${result.outcome.error.message}` : ''
      throw new TurnloopError('not-completed', `The agent ${agent.name} ended ${kind}${why}.`)
    }
    return result
  }
}

/** Tells how a run ended. */
type Tell = (type: HookEvent['type'], value?: JsonValue, error?: unknown) => void

interface Thrown {
  readonly tell: Tell
  readonly isPassing: boolean
  readonly isAfter: boolean
}

interface Run {
  isOpen: boolean
  readonly look: StateLook
  readonly signal: AbortSignal
}

/** Rejects with the reason of a time limit; stays silent where the turn itself was stopped. */
function rejectWith(signal: AbortSignal, turn: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => (turn.aborted ? undefined : reject(signal.reason)), { once: true })
  })
}

function snapshotOf(messages: readonly Message[]): readonly Message[] {
  return deepFreeze([...messages])
}

function toInjected(given: string | UserMessage, createdAt: number): UserMessage {
  if (typeof given !== 'string') return given
  const content = [{ type: 'text', text: given }] as const
  return { id: crypto.randomUUID(), role: 'user', createdAt, content, synthetic: 'injected' }
}

/** The same JSON with every text redacted, keys aside. */
export function redactAll(value: JsonValue, redact: (text: string) => string): JsonValue {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactAll(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inner === undefined ? null : redactAll(inner, redact)]),
  )
}

const runners = new WeakMap<RunningTurn, HookRunner>()

/** The runner of a turn's hooks: one, whoever brings hooks. */
export function runnerOf(turn: RunningTurn, redact?: (text: string) => string): HookRunner {
  const known = runners.get(turn)
  if (known !== undefined) return known
  const runner = new HookRunner(turn, redact)
  runners.set(turn, runner)
  return runner
}
