import { type Agent, createAgent, defineHooks, type Model, structured } from '@turnloop/core'
import { judge } from '@turnloop/guardrails'
import { z } from 'zod'

/** An investment adviser that is asked only what a validator lets pass. `smallModel` is the validator's. */
export function createAdviser(model: Model, smallModel: Model): Agent {
  const validator = createAgent({
    name: 'validator',
    model: smallModel,
    instructions: 'Judge a question to an investment adviser. Is it safe and legal, about investing, detailed enough?',
    output: structured(
      z.object({
        isSafe: z.boolean(),
        isRelevant: z.boolean(),
        hasSufficientDetail: z.boolean(),
        concerns: z.array(z.string()),
        recommendations: z.array(z.string()),
      }),
    ),
  })
  const inputCheck = judge(validator, {
    name: 'input-check',
    timeoutMs: 20_000,
    pass({ isSafe, isRelevant, hasSufficientDetail, concerns, recommendations }) {
      if (!isSafe) return { message: concerns.join(' '), trigger: 'input_not_allowed' }
      if (!isRelevant) return { message: 'I can only help with investing.', trigger: 'off_topic' }
      if (!hasSufficientDetail) return { message: recommendations.join(' '), trigger: 'input_not_allowed' }
      return true
    },
  })
  return createAgent({
    name: 'adviser',
    model,
    instructions: 'You help people to plan their investments.',
    hooks: defineHooks({ preHooks: [inputCheck] }),
  })
}
