import { type Agent, createAgent, defineHooks, defineToolHook, type Model, resultText, tool } from '@turnloop/core'
import { z } from 'zod'

/** An agent whose tool calls are timed and logged, whatever tool it is. `log` takes one line. */
export function createTimedAgent(model: Model, log: (line: string) => void): Agent {
  const timing = defineToolHook({
    name: 'timing',
    run: async ({ name }, next) => {
      const start = performance.now()
      log(`timing: ${name} starts`)
      try {
        return await next()
      } finally {
        log(`timing: ${name} took ${Math.round(performance.now() - start)} ms`)
      }
    },
  })
  const logging = defineToolHook({
    name: 'logging',
    run: async ({ name, input }, next) => {
      log(`logging: ${name} ${JSON.stringify(input)}`)
      const result = await next()
      log(`logging: ${name} gave ${resultText(result)}`)
      return result
    },
  })
  const getPrice = tool({
    name: 'get_price',
    description: 'The price of a share now, in euros',
    input: z.object({ share: z.string() }),
    effect: 'read',
    execute: ({ share }) => {
      log(`tool: ${share}`)
      return '41.20'
    },
  })
  return createAgent({ model, tools: [getPrice], hooks: defineHooks({ toolHooks: [timing, logging] }) })
}
