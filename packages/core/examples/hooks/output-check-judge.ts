import { type Agent, createAgent, defineHooks, type Model, structured } from '@turnloop/core'
import { judge, length } from '@turnloop/guardrails'
import { z } from 'zod'

/** An agent whose answers are scored by a reviewer before anybody sees them. `smallModel` is the reviewer's. */
export function createReviewedAgent(model: Model, smallModel: Model, instructions = 'Explain it well.'): Agent {
  const reviewer = createAgent({
    name: 'reviewer',
    model: smallModel,
    instructions: 'Score an answer of a support agent from 0 to 1: is it complete, professional and safe?',
    output: structured(z.object({ score: z.number(), concerns: z.array(z.string()) })),
  })
  const review = judge(reviewer, {
    name: 'review',
    timeoutMs: 20_000,
    pass: ({ score, concerns }) => score >= 0.6 || { message: `Scored ${score}. ${concerns.join(' ')}` },
  })
  return createAgent({
    model,
    instructions,
    // The rule costs nothing, so it comes first: what it blocks is not judged.
    hooks: defineHooks({ postHooks: [length({ min: 20 }), review], outputMode: 'buffer' }),
  })
}
