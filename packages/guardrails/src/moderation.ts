import { type Guardrail, TurnloopError } from '@turnloop/core'
import { checkOptions, type GuardrailSettings, isFunction, notAllowed, withSettings } from './guardrail-settings.ts'

/** What a moderation service says about a text. */
export interface ModerationVerdict {
  readonly flagged: boolean
  /** What it is flagged for; in the `data` of the outcome. */
  readonly categories?: readonly string[]
}

/** Options of `moderation`. */
export interface ModerationOptions extends GuardrailSettings {
  /**
   * Ask the service, through a server of yours: a page can keep no key. Hand the signal on. What it throws, and an answer
   * without `flagged`, blocks.
   */
  moderate(text: string, options: { signal: AbortSignal }): Promise<ModerationVerdict>
}

/**
 * A guardrail that asks a moderation service, once for all texts of a subject; not for empty ones. With
 * `outputMode: { window }` a growing reply is asked about again and again.
 *
 * Blocks with the trigger `input_not_allowed` or `output_not_allowed`, by where the text comes from. Throws `bad-option`.
 */
export function moderation(options: ModerationOptions): Guardrail {
  checkOptions('moderation', options, { moderate: isFunction })
  return withSettings(options, {
    name: 'moderation',
    check: async ({ text, phase }, { signal }) => {
      if (text.trim() === '') return undefined
      signal.throwIfAborted()
      // Typed, and yet whatever the service sent: an answer that is none must not pass for "not flagged".
      const verdict: Partial<ModerationVerdict> | undefined = await options.moderate(text, { signal })
      if (typeof verdict?.flagged !== 'boolean') {
        throw new TurnloopError(
          'bad-option',
          'moderation: "moderate" must give { flagged: true } or { flagged: false }.',
        )
      }
      if (!verdict.flagged) return undefined
      const categories = Array.isArray(verdict.categories) ? verdict.categories.map(String) : []
      return { block: 'The text was refused by moderation.', trigger: notAllowed(phase), data: { categories } }
    },
  })
}
