import { type Agent, createAgent, defineHooks, type Model } from '@turnloop/core'

/** An agent that logs how long the conversation is before each turn and after it. `log` takes one line. */
export function createCountingAgent(model: Model, log: (line: string) => void): Agent {
  return createAgent({
    model,
    hooks: defineHooks({
      // What came before: the input joins only once it has passed.
      preHooks: [({ messages }) => log(`before: ${messages.length} messages`)],
      afterTurn: ({ messages, turnMessages, result }) =>
        log(`after: ${messages.length} messages, ${turnMessages.length} of this turn, ${result.outcome.kind}`),
    }),
  })
}
