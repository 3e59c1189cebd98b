import { type Agent, createAgent, defineGuardrail, defineHooks, type Model } from '@turnloop/core'
import { length } from '@turnloop/guardrails'

/** An agent whose answers have to keep to rules. No character of one that does not is ever shown. */
export function createRuledAgent(model: Model): Agent {
  const noPromises = defineGuardrail({
    name: 'no-promises',
    check: ({ text }) =>
      /guaranteed (profit|return)/i.test(text)
        ? { block: 'Nobody can guarantee a return.', trigger: 'output_not_allowed' }
        : undefined,
  })
  return createAgent({
    model,
    hooks: defineHooks({
      postHooks: [length({ min: 10, max: 5000 }), noPromises],
      outputMode: 'buffer',
      safeMessage: 'I have no good answer to that.',
    }),
  })
}
