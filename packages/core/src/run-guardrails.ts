import { ABANDONED, linkedController, settleWithin } from './abort.ts'
import { type Clock, systemClock } from './clock.ts'
import { describeThrown } from './errors.ts'
import {
  CheckError,
  type CheckTrigger,
  type Guardrail,
  type GuardrailContext,
  type GuardrailSubject,
  type GuardrailVerdict,
} from './guardrail.ts'
import { isJsonObject, type JsonObject } from './json.ts'

/** What a list of guardrails made of some texts. */
export type Guarded =
  | {
      readonly blocked?: undefined
      /** As they may go on, one for each that was given. */
      readonly texts: readonly string[]
      /** What those that put something in place reported. */
      readonly reports: readonly { readonly guardrail: string; readonly data?: JsonObject }[]
    }
  | { readonly blocked: Blocked }

/** Why some text may not go on. */
export interface Blocked {
  readonly guardrail: string
  /** For people. */
  readonly message: string
  readonly trigger: CheckTrigger
  readonly data?: JsonObject
}

/**
 * Run guardrails over texts, in the order of the list, each on what the one before left. The first block ends it.
 *
 * Fails closed: what a guardrail throws, its time limit, a verdict that is none and texts that do not match what was given
 * block with `validation_failed`, unless it says `onError: 'allow'`. Guardrails for other phases are left out. Rejects only
 * with the reason of `context.signal` once that is aborted. Source: the guardrails guide.
 */
export async function runGuardrails(
  guardrails: readonly Guardrail[],
  subject: Omit<GuardrailSubject, 'text'>,
  context: GuardrailContext & { readonly clock?: Clock },
): Promise<Guarded> {
  let { texts } = subject
  const reports: { guardrail: string; data?: JsonObject }[] = []
  for (const guardrail of guardrails) {
    const { name, phases } = guardrail
    if (phases !== undefined && !phases.includes(subject.phase)) continue
    const verdict = await checkOne(guardrail, { ...subject, texts, text: texts.join('\n') }, context)
    if (verdict === undefined) continue
    if ('block' in verdict) {
      const { block: message, trigger = 'validation_failed', data } = verdict
      return { blocked: { guardrail: name, message, trigger, ...(data && { data }) } }
    }
    texts = verdict.replace
    reports.push({ guardrail: name, ...(verdict.data && { data: verdict.data }) })
  }
  return { texts, reports }
}

async function checkOne(
  guardrail: Guardrail,
  subject: GuardrailSubject,
  context: GuardrailContext & { readonly clock?: Clock },
): Promise<GuardrailVerdict> {
  const { clock = systemClock, run, ...rest } = context
  const { name, timeoutMs, onError = 'block' } = guardrail
  const { controller, unlink } = linkedController(context.signal)
  const stopTimer =
    timeoutMs === undefined
      ? () => {}
      : clock.setTimer(() => controller.abort(new Error(`took longer than ${timeoutMs} ms`)), timeoutMs)
  const fail = (why: string): GuardrailVerdict =>
    onError === 'allow' ? undefined : { block: `The check "${name}" failed: ${why}.`, trigger: 'validation_failed' }
  try {
    const { signal } = controller
    // An agent that it runs has its time limit, too.
    const running: Pick<GuardrailContext, 'run'> = run ? { run: (agent, input) => run(agent, input, signal) } : {}
    const checking = (async () => guardrail.check(subject, { ...rest, ...running, signal }))()
    const verdict: unknown = await settleWithin(checking, { signal, graceMs: 0, clock })
    context.signal.throwIfAborted()
    if (verdict === ABANDONED) return fail(describeThrown(signal.reason))
    return isVerdict(verdict, subject) ? verdict : fail('its verdict is none')
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof CheckError)
      return { block: error.message, trigger: error.trigger, ...(error.data && { data: error.data }) }
    return fail(describeThrown(error))
  } finally {
    stopTimer()
    unlink()
  }
}

/** Whether a verdict can be acted on: guardrails are foreign code, and a typo in one must not let anything pass. */
function isVerdict(verdict: unknown, { texts }: GuardrailSubject): verdict is GuardrailVerdict {
  if (verdict === undefined) return true
  if (!isJsonObject(verdict)) return false
  if ('block' in verdict) return typeof verdict.block === 'string'
  const { replace } = verdict
  return Array.isArray(replace) && replace.length === texts.length && replace.every((text) => typeof text === 'string')
}
