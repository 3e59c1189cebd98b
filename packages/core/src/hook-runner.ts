import { ABANDONED, linkedController, onAbort, settleWithin } from './abort.ts'
import { TurnloopError, toErrorRecord } from './errors.ts'
import type { HookEvent } from './events.ts'
import type { HookContext } from './hook-context.ts'
import type { JsonValue } from './json.ts'
import type { UserMessage } from './messages.ts'
import { toPlainJson } from './plain-json.ts'
import { randomId } from './random-id.ts'
import { contextOf, type HookRun, toInjected } from './run-context.ts'
import type { RunningTurn } from './running-turn.ts'
import { StateLook } from './state-draft.ts'
import { type HookWord, isCancel, readThrown, readVerdict } from './turn-control.ts'

/** A hook in its place. */
export interface PlacedHook {
  readonly name: string
  readonly slot: string
  readonly timeoutMs?: number
  readonly callId?: string
  /** Aborts when nobody waits for it any more: it is closed then, and none begins. */
  readonly within?: AbortSignal
}

/** How one run of a hook ended. */
export type HookEnd =
  | { readonly word: HookWord; readonly value: unknown; readonly hasThrown?: undefined }
  | { readonly word: HookWord; readonly error: unknown; readonly hasThrown: true }
  /** A failure that says nothing: isolated, or fatal where the place says so. */
  | { readonly word?: undefined; readonly error: unknown; readonly hasThrown: true }

/** What a hook made of what it looked at. */
interface HookMade {
  readonly isChanged: boolean
  readonly value?: JsonValue
}

/** What is told of a run: what the hook looks at, and what it made of that. Absent: not fit to be told. */
export interface HookTelling {
  readonly before?: JsonValue
  /** Let stand what it said, and say what that is. Not for a block: what was blocked is told to nobody. */
  after?(word: HookWord): HookMade
  /** The trigger of a block that names none. */
  readonly trigger?: string
  /** It observes an end, which Stop does not cut short: it has until this aborts. */
  readonly over?: AbortSignal
  /** What it returns is no verdict. */
  readonly isPlain?: true
  /** A check has yet to see what it looks at, which its own error may quote. */
  readonly isUnseen?: boolean
  /** Whether an error only passes through it, and is no failure of its own. */
  isPassing?(error: unknown): boolean
}

/** Runs the hooks of one turn: one at a time, within their time, with paired events; keeps what went wrong. */
export class HookRunner {
  readonly turn: RunningTurn
  readonly redact: (text: string) => string
  /** What hooks let join the transcript, until somebody takes it. */
  injected: UserMessage[] = []

  constructor(turn: RunningTurn, redact: ((text: string) => string) | undefined) {
    this.turn = turn
    this.redact = (text) => {
      try {
        return redact === undefined ? text : String(redact(text))
      } catch {
        // It fails closed.
        return ''
      }
    }
  }

  /**
   * Run a hook. Never rejects, other than with the turn's abort reason: the hook then had the grace time.
   *
   * What it changed of the state is stored when it settles; what it was abandoned with is not.
   */
  async run(hook: PlacedHook, call: (context: HookContext) => unknown, telling: HookTelling = {}): Promise<HookEnd> {
    const { turn } = this
    const { over } = telling
    const { within, timeoutMs } = hook
    // After Stop only observers begin.
    if (over === undefined) turn.signal.throwIfAborted()
    within?.throwIfAborted()
    const look = new StateLook(() => turn.state)
    // Observers of an end that came by Stop get their own time.
    const host = over !== undefined && turn.signal.aborted ? over : turn.signal
    const { controller, unlink } = linkedController(host)
    const stopTimer =
      timeoutMs === undefined ? undefined : turn.clock.setTimer(() => controller.abort(tooLate(hook)), timeoutMs)
    const tell = this.#begin(hook, telling)
    const run: HookRun = { isOpen: true, look, signal: controller.signal }
    const leave =
      within &&
      onAbort(within, () => {
        controller.abort(within.reason)
        tell('hook-failed', undefined, within.reason)
      })
    const voice = {
      turn,
      tellable: (value: unknown) => this.tellable(value),
      inject: (...messages: readonly (string | UserMessage)[]) => this.inject(...messages),
      noteFault: (error: unknown) => this.#note(hook, error),
    }
    try {
      const running = (async () => call(contextOf(run, voice)))()
      const isLimited = timeoutMs !== undefined || within !== undefined
      const end = await this.#wait(running, over, isLimited ? rejectWith(controller.signal, host) : undefined)
      within?.throwIfAborted()
      this.#keepState(look)
      const word: HookWord = telling.isPlain ? { kind: 'go' } : readVerdict(end, telling.trigger ?? 'validation_failed')
      if (word.kind === 'block') tell('hook-blocked')
      else tell('hook-finished', telling.after?.(word) ?? { isChanged: word.kind === 'replace' })
      return { word, value: end }
    } catch (error) {
      const isPassing = within?.aborted || telling.isPassing?.(error) === true
      const isWord = isPassing || readThrown(error) !== undefined
      const thrown = isWord && !within?.aborted ? this.#passOn(error, look) : error
      return this.#thrown(thrown, hook, {
        tell,
        isPassing: isPassing && thrown === error,
        isAfter: over !== undefined,
        isUnseen: telling.isUnseen === true,
      })
    } finally {
      run.isOpen = false
      leave?.()
      stopTimer?.()
      unlink()
    }
  }

  /** Its own time limit is no reason to wait any longer; the turn's Stop gives it the grace time. */
  async #wait(running: Promise<unknown>, over: AbortSignal | undefined, limit?: Promise<never>): Promise<unknown> {
    const { signal, graceMs, clock } = this.turn
    const settled = settleWithin(running, { signal: over ?? signal, graceMs: over ? 0 : graceMs, clock })
    const end = await (limit === undefined ? settled : Promise.race([settled, limit]))
    if (end === ABANDONED) throw signal.reason
    return end
  }

  /** What only passes through a hook, or is its word, is no failure of its own: what it noted stands. */
  #passOn(error: unknown, look: StateLook): unknown {
    try {
      if (!this.turn.signal.aborted) this.#keepState(look)
      return error
    } catch (fault) {
      return fault
    }
  }

  #thrown(error: unknown, hook: PlacedHook, { tell, isPassing, isAfter, isUnseen }: Thrown): HookEnd {
    const { turn } = this
    // After the end there is nothing left to say of it.
    const word = isAfter ? undefined : readThrown(error)
    if (word?.kind === 'block') tell('hook-blocked', undefined, error)
    else if (word !== undefined) tell('hook-finished')
    else tell('hook-failed', undefined, error)
    if (word === undefined && !isPassing && !isAfter && isCancel(error) && !turn.signal.aborted) turn.abort(error)
    // Cancel is never swallowed.
    if (turn.signal.aborted && !isAfter) throw turn.signal.reason
    if (word !== undefined) return { word, error, hasThrown: true }
    if (!isPassing) this.#note(hook, error, isUnseen)
    return { error, hasThrown: true }
  }

  #note({ name, slot }: PlacedHook, error: unknown, isUnseen?: boolean): void {
    this.turn.hookErrors.push({ hook: name, slot, error: this.record(error, isUnseen) })
  }

  /** An error as data, redacted; without its words where nobody has checked what they may quote. */
  record(error: unknown, isUnseen?: boolean): ReturnType<typeof toErrorRecord> {
    const { facts: _facts, ...record } = toErrorRecord(error, 'internal')
    if (isUnseen) return { name: record.name, code: record.code, message: UNSEEN_TEXT }
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

  #begin(hook: PlacedHook, { before: value, isUnseen }: HookTelling): Tell {
    const { turn } = this
    const id = randomId()
    const startedAt = turn.clock.now()
    const { name, slot, callId } = hook
    const base = { id, hook: name, slot, ...(callId !== undefined && { callId }) }
    const told = value === undefined ? undefined : this.tellable(value)
    turn.emit({ type: 'hook-started', ...base, ...(told !== undefined && { value: told }) })
    let isTold = false
    return (type, { isChanged, value: after } = { isChanged: false }, error) => {
      if (isTold) return
      isTold = true
      const durationMs = Math.max(0, turn.clock.now() - startedAt)
      const made = after === undefined ? undefined : this.tellable(after)
      turn.emit({
        type,
        ...base,
        durationMs,
        ...(isChanged && { changed: true }),
        ...(made !== undefined && { value: made }),
        ...(error !== undefined && { error: this.record(error, isUnseen && type === 'hook-failed') }),
      })
    }
  }

  #keepState(look: StateLook): void {
    const patch = look.takePatch()
    if (patch !== undefined) this.turn.append({ type: 'state-changed', patch })
  }
}

/** Tells how a run ended. */
type Tell = (type: HookEvent['type'], made?: HookMade, error?: unknown) => void

interface Thrown {
  readonly tell: Tell
  readonly isPassing: boolean
  readonly isAfter: boolean
  readonly isUnseen: boolean
}

/** Rejects with the reason of a time limit; stays silent where the host itself has aborted. */
function rejectWith(signal: AbortSignal, host: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => (host.aborted ? undefined : reject(signal.reason)), { once: true })
  })
}

function tooLate({ name, timeoutMs }: PlacedHook): TurnloopError {
  return new TurnloopError('internal', `${name} did not finish within ${timeoutMs} ms.`)
}

const UNSEEN_TEXT = 'Its message is held back: it may quote what a check behind this hook has yet to see.'

/** The same JSON with every text redacted, keys aside. */
function redactAll(value: JsonValue, redact: (text: string) => string): JsonValue {
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
