import {
  type Agent,
  createAgent,
  defineHook,
  defineHooks,
  type Model,
  type PreHookContext,
  structured,
} from '@turnloop/core'
import { z } from 'zod'

const topicList = z.array(z.string())

/** An agent that keeps in the session's state what its user talks about. `smallModel` finds the topics. */
export function createTopicAgent(model: Model, smallModel: Model): Agent {
  const topicFinder = createAgent({
    name: 'topic-finder',
    model: smallModel,
    instructions: 'Name the topics of the text, each in one or two words.',
    output: structured(z.object({ topics: topicList })),
  })
  const rememberTopics = defineHook({
    name: 'remember-topics',
    timeoutMs: 20_000,
    run: async ({ input, state, run }: PreHookContext) => {
      const { output } = await run(topicFinder, input.text)
      const known = topicList.catch([]).parse(state.topics)
      state.topics = [...new Set([...known, ...(output?.topics ?? [])])]
    },
  })
  return createAgent({ model, state: { topics: [] }, hooks: defineHooks({ preHooks: [rememberTopics] }) })
}
