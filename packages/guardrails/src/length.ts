import type { Guardrail } from '@turnloop/core'
import {
  badOption,
  checkOptions,
  type GuardrailSettings,
  notAllowed,
  optional,
  withSettings,
} from './guardrail-settings.ts'

/** Options of `length`: at least one of the two limits. */
export interface LengthOptions extends GuardrailSettings {
  /** How many characters a text must have at least. Not looked at while it grows, nor of a reply that is not the answer. */
  min?: number
  /** How many it may have at most. */
  max?: number
}

/**
 * A guardrail on the length of a text, in characters (code points), white space around it not counted.
 *
 * Several texts count together, with a line break between two. Blocks with the trigger `input_not_allowed` or
 * `output_not_allowed`, by where the text comes from; `data` has the length and the limits. Throws `bad-option`.
 */
export function length(options: LengthOptions): Guardrail {
  checkOptions('length', options, { min: optional(isCount), max: optional(isCount) })
  const { min = 0, max = Number.POSITIVE_INFINITY } = options
  if (options.min === undefined && options.max === undefined) throw badOption('length', 'give "min", "max" or both')
  if (min > max) throw badOption('length', '"min" must not be greater than "max"')
  const limits = { ...(options.min !== undefined && { min }), ...(options.max !== undefined && { max }) }
  return withSettings(options, {
    name: 'length',
    check: ({ text, phase, isPartial, isStep }) => {
      const characters = countCharacters(text.trim())
      const isShort = characters < min && isPartial !== true && isStep !== true
      if (!isShort && characters <= max) return undefined
      const limit = isShort ? `at least ${min} are wanted` : `at most ${max} are allowed`
      return {
        block: `The text has ${characters} characters; ${limit}.`,
        trigger: notAllowed(phase),
        data: { characters, ...limits },
      }
    },
  })
}

/** Code points: a surrogate pair is one. */
function countCharacters(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

function isCount(value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number, at least 0'
}
