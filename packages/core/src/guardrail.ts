import { checkOptions, isDelay, isName, isOneOf, type OptionRules } from './check-options.ts'
import { TurnloopError } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { RunnableAgent } from './runnable-agent.ts'

/** Why a check refused something. Any other word may be used as well. */
export type CheckTrigger =
  | 'off_topic'
  | 'input_not_allowed'
  | 'output_not_allowed'
  | 'validation_failed'
  | 'prompt_injection'
  | 'pii_detected'
  // Keeps the words above as suggestions.
  | (string & {})

/** What is checked: what a person wrote, what the model wrote, arguments of a call, or what came back from a tool. */
export type GuardrailPhase = 'input' | 'output' | 'tool-input' | 'tool-result'

/** What a guardrail is shown. Only text: roles, parts and structure stay as they are, whatever it puts in place. */
export interface GuardrailSubject {
  readonly phase: GuardrailPhase
  /** The text-bearing fields, in order; for JSON, its strings. */
  readonly texts: readonly string[]
  /** The same as one text, a line for each. */
  readonly text: string
  /** Of a tool's arguments or result. */
  readonly toolName?: string
  /** More may follow: the reply is still growing. */
  readonly isPartial?: true
  /** A reply that is not the answer: it calls tools, or was cut. */
  readonly isStep?: true
}

/** What a guardrail is given beside its subject. */
export interface GuardrailContext {
  readonly turnId: string
  readonly sessionId?: string
  /** Aborts on Stop and on the guardrail's own time limit. */
  readonly signal: AbortSignal
  readonly metadata?: JsonObject
  /**
   * Inside a turn: run another agent, under `signal`, so that its usage counts for the turn and its events show. Rejects
   * with `not-completed` for any end but `completed`.
   */
  run?<Output>(agent: RunnableAgent<Output>, input: string, signal?: AbortSignal): Promise<{ readonly output?: Output }>
}

/**
 * What a guardrail decides. Nothing: it may pass. `block`: it may not, and why, for people; `data` goes along and must
 * hold nothing that is secret. `replace`: other texts, one for each of `subject.texts`, go on in their place.
 */
export type GuardrailVerdict =
  | undefined
  | { readonly block: string; readonly trigger?: CheckTrigger; readonly data?: JsonObject }
  | { readonly replace: readonly string[]; readonly data?: JsonObject }

/** A check that fails closed. Made by `defineGuardrail`. */
export interface Guardrail {
  readonly kind: 'guardrail'
  readonly name: string
  /** Absent: all. */
  readonly phases?: readonly GuardrailPhase[]
  /** What an error in it means. Default `'block'`. */
  readonly onError?: 'block' | 'allow'
  readonly timeoutMs?: number
  /** How many characters at the end of a growing text may still become part of a finding. Absent: unknown. */
  holdLength?(text: string): number
  check(subject: GuardrailSubject, context: GuardrailContext): GuardrailVerdict | Promise<GuardrailVerdict>
}

/** What `defineGuardrail` is given. */
export type GuardrailOptions = Omit<Guardrail, 'kind'>

/**
 * Define a guardrail: a check of text on its way in or out, which fails closed.
 *
 * What it throws, and a time limit that runs out, blocks as well, with `validation_failed`, unless `onError` is `'allow'`.
 * Throws `bad-option` naming the option. Source: the hooks guide, "Guardrails".
 */
export function defineGuardrail(options: GuardrailOptions): Guardrail {
  checkOptions(options, RULES, { where: 'defineGuardrail', required: ['name', 'check'] })
  return Object.freeze({ kind: 'guardrail', ...options })
}

const PHASES: readonly GuardrailPhase[] = ['input', 'output', 'tool-input', 'tool-result']

const RULES: OptionRules<GuardrailOptions> = {
  name: isName,
  check: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  phases: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((phase) => PHASES.includes(phase))
      ? undefined
      : `must be a list of ${PHASES.join(', ')}`,
  onError: isOneOf('block', 'allow'),
  timeoutMs: isDelay(1),
  holdLength: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
}

/** What a check throws to block: the same as returning `{ block }`. */
export class CheckError extends TurnloopError {
  override readonly name: string = 'CheckError'
  readonly trigger: CheckTrigger
  /** Goes along with the outcome; must hold nothing that is secret. */
  readonly data: JsonObject | undefined

  constructor(
    message: string,
    options: { trigger?: CheckTrigger; data?: JsonObject; cause?: unknown } = {},
    trigger: CheckTrigger = 'validation_failed',
  ) {
    super('blocked', message, {
      ...(options.cause !== undefined && { cause: options.cause }),
      facts: { trigger: options.trigger ?? trigger, ...(options.data && { data: options.data }) },
    })
    this.trigger = options.trigger ?? trigger
    this.data = options.data
  }
}

/** Blocks what a person asked. Its trigger is `input_not_allowed` unless another is given. */
export class InputCheckError extends CheckError {
  override readonly name = 'InputCheckError'

  constructor(message: string, options: { trigger?: CheckTrigger; data?: JsonObject; cause?: unknown } = {}) {
    super(message, options, 'input_not_allowed')
  }
}

/** Blocks what the model answered. Its trigger is `output_not_allowed` unless another is given. */
export class OutputCheckError extends CheckError {
  override readonly name = 'OutputCheckError'

  constructor(message: string, options: { trigger?: CheckTrigger; data?: JsonObject; cause?: unknown } = {}) {
    super(message, options, 'output_not_allowed')
  }
}
