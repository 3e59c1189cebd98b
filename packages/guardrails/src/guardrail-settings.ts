import {
  defineGuardrail,
  type Guardrail,
  type GuardrailOptions,
  type GuardrailPhase,
  TurnloopError,
} from '@turnloop/core'

/** What every guardrail of this package takes. */
export interface GuardrailSettings {
  /** What events and outcomes call it. Default: the name of its kind. Give each its own where two of a kind are used. */
  name?: string
  /** What it looks at. */
  phases?: readonly GuardrailPhase[]
  /** What an error in it means. Default `'block'`. */
  onError?: 'block' | 'allow'
  /** How long a check may take. */
  timeoutMs?: number
}

/** What an option must be: says what is wrong with a value, or nothing. */
export type Rule = (value: unknown) => string | undefined

const SETTINGS = ['name', 'phases', 'onError', 'timeoutMs']

/** Throw `bad-option` for what is no object of options, for an unknown option, and for the first that breaks its rule. */
export function checkOptions(where: string, options: object, rules: Readonly<Record<string, Rule>>): void {
  if (typeof options !== 'object' || options === null) throw badOption(where, 'expected an object of options')
  for (const name of Object.keys(options)) {
    if (!(name in rules) && !SETTINGS.includes(name)) throw badOption(where, `there is no option "${name}"`)
  }
  const values = new Map<string, unknown>(Object.entries(options))
  for (const [name, rule] of Object.entries(rules)) {
    const problem = rule(values.get(name))
    if (problem !== undefined) throw badOption(where, `"${name}" ${problem}`)
  }
}

/** The error for an option that cannot work. */
export function badOption(where: string, problem: string, cause?: unknown): TurnloopError {
  return new TurnloopError('bad-option', `${where}: ${problem}.`, { ...(cause !== undefined && { cause }) })
}

/** The same rule for an option that may be left out. */
export function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value))
}

/** The rule of a function. */
export function isFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function'
}

/** The rule of one of a few words. */
export function isOneOf(...words: readonly string[]): Rule {
  return (value) => (words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`)
}

/** The rule of a list of some of these words. */
export function isListOf(...words: readonly string[]): Rule {
  return (value) =>
    Array.isArray(value) && value.length > 0 && value.every((word) => words.includes(word))
      ? undefined
      : `must be a list of ${words.join(', ')}`
}

/** The rule of a list of texts, none of them empty. */
export function isTexts(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((text) => typeof text === 'string' && text.trim() !== '')
    ? undefined
    : 'must be a list of texts that are not empty'
}

/** A guardrail with the settings that were given, the name and phases of its kind where they were not. */
export function withSettings(
  settings: GuardrailSettings,
  kind: Pick<GuardrailOptions, 'name' | 'phases' | 'holdLength' | 'check'>,
): Guardrail {
  const { name, phases, onError, timeoutMs } = settings
  return defineGuardrail({
    ...kind,
    ...(name !== undefined && { name }),
    ...(phases !== undefined && { phases }),
    ...(onError !== undefined && { onError }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

/** What a refusal is called, by where the text comes from. */
export function notAllowed(phase: GuardrailPhase): 'input_not_allowed' | 'output_not_allowed' {
  return phase === 'output' ? 'output_not_allowed' : 'input_not_allowed'
}
