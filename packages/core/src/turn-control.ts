import { isTurnloopError, TurnloopError } from './errors.ts'
import { CheckError } from './guardrail.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { Outcome } from './outcome.ts'

/** What a hook or tool throws to end the turn `completed`; `outcome.stoppedBy` names who. */
export class StopTurn extends TurnloopError {
  override readonly name = 'StopTurn'

  constructor(reason: string) {
    super('stop-turn', reason)
  }
}

/** What a hook or tool throws to let the model read something and go on. Capped by `maxHookRetries`. */
export class RetryModel extends TurnloopError {
  override readonly name = 'RetryModel'

  constructor(feedback: string) {
    super('retry-model', feedback)
  }
}

/** What a hook said, whichever way it said it. */
export type HookWord =
  | { readonly kind: 'go' }
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'block'; readonly message: string; readonly trigger: string; readonly data?: JsonObject }
  | { readonly kind: 'stop' | 'retry'; readonly message: string }

/** Read what a hook returned. What is no verdict says nothing: many functions return something by the way. */
export function readVerdict(value: unknown, trigger: string): HookWord {
  if (!isJsonObject(value)) return { kind: 'go' }
  if (value.replace !== undefined) return { kind: 'replace', value: value.replace }
  if (typeof value.block === 'string') {
    const { data } = value
    const word = typeof value.trigger === 'string' ? value.trigger : trigger
    return { kind: 'block', message: value.block, trigger: word, ...(isJsonObject(data) && { data }) }
  }
  if (typeof value.stop === 'string') return { kind: 'stop', message: value.stop }
  if (typeof value.retry === 'string') return { kind: 'retry', message: value.retry }
  return { kind: 'go' }
}

/** Read what a hook threw; `undefined` for a plain failure. */
export function readThrown(error: unknown): Exclude<HookWord, { kind: 'go' | 'replace' }> | undefined {
  if (error instanceof CheckError) {
    const { message, trigger, data } = error
    return { kind: 'block', message, trigger, ...(data && { data }) }
  }
  if (!isTurnloopError(error)) return undefined
  // By code: it may have crossed a worker, where classes are lost.
  if (error.code === 'stop-turn') return { kind: 'stop', message: error.message }
  if (error.code === 'retry-model') return { kind: 'retry', message: error.message }
  return undefined
}

/** The end of a turn that a check blocked. */
export function blockedOutcome(
  word: { message: string; trigger: string; data?: JsonObject },
  by: { hook: string; slot: string; phase: NonNullable<(Outcome & { kind: 'blocked' })['phase']> },
): Outcome & { readonly kind: 'blocked' } {
  const { message, trigger, data } = word
  return { kind: 'blocked', source: 'guardrail', trigger, errorId: trigger, ...by, message, ...(data && { data }) }
}

/** Whether an error says that somebody cancelled, rather than that something failed. */
export function isCancel(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
