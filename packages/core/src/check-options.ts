import { LONGEST_DELAY_MS } from './clock.ts'
import { TurnloopError } from './errors.ts'
import { isJsonObject } from './json.ts'

/** What each option must be: a rule says what is wrong with a value, or nothing. */
export type OptionRules<Options> = {
  readonly [Option in keyof Required<Options>]: (value: unknown) => string | undefined
}

/**
 * Check options by their rules, the ones that are left out aside.
 *
 * Throws `bad-option` naming the first that does not exist, is missing although `required`, or breaks its rule.
 */
export function checkOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  at: { where: string; required?: readonly (keyof Options & string)[] },
): void {
  const fail = (text: string): never => {
    throw new TurnloopError('bad-option', `${at.where}: ${text}.`)
  }
  // Typed as options, and yet whatever a page without types passes.
  if (!isJsonObject(options as unknown)) fail('expected an object of options')
  const given = new Map<string, unknown>(Object.entries(options))
  for (const name of at.required ?? []) if (given.get(name) === undefined) fail(`"${name}" is missing`)
  const byName = new Map<string, (value: unknown) => string | undefined>(Object.entries(rules))
  for (const [name, value] of given) {
    const rule = byName.get(name)
    const problem = value === undefined ? undefined : rule?.(value)
    if (rule === undefined) fail(`there is no option "${name}"`)
    if (problem !== undefined) fail(`"${name}" ${problem}`)
  }
}

/** The rule of an option that is text. */
export function isText(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'must be text'
}

/** The rule of an option that names something. */
export function isName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? undefined : 'must be text that is not empty'
}

/** Whether a value is an object that can do these things, whatever it was made by. */
export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return isJsonObject(value) && names.every((name) => typeof value[name] === 'function')
}

/** The rule of an option that is called. */
export function isFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function'
}

/** The rule of an option that is on or off. */
export function isSwitch(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false'
}

/** The rule of an option that is an object. */
export function isObject(value: unknown): string | undefined {
  return isJsonObject(value) ? undefined : 'must be an object'
}

/** The rule of an option that counts something. */
export function isCount(least: number): (value: unknown) => string | undefined {
  return (value) =>
    Number.isInteger(value) && Number(value) >= least ? undefined : `must be a whole number, at least ${least}`
}

/** The rule of an option that is any number. */
export function isNumber(value: unknown): string | undefined {
  return Number.isFinite(value) ? undefined : 'must be a number'
}

/** The rule of an option that is a time in milliseconds, as far as timers go. */
export function isDelay(least: number): (value: unknown) => string | undefined {
  return (value) =>
    typeof value === 'number' && value >= least && value <= LONGEST_DELAY_MS
      ? undefined
      : `must be a number of milliseconds from ${least} to 2^31 - 1`
}

/** The rule of an option that is one of a few words. */
export function isOneOf(...words: readonly string[]): (value: unknown) => string | undefined {
  const list = words.map((word) => `'${word}'`).join(' or ')
  return (value) => (words.some((word) => word === value) ? undefined : `must be ${list}`)
}
