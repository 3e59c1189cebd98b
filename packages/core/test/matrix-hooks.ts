import { defineGuardrail, defineHooks, type HooksOptions, RetryModel, toolHooks } from '@turnloop/core'
import type { Scenario } from './matrix-cut.ts'
import { answer } from './matrix-scenarios.ts'
import { type Reply, reply } from './matrix-world.ts'

/** Some steps, so that a turn can be cut between them. */
async function pause(): Promise<void> {
  await null
  await null
}

const two: Reply = reply('Let me see.', ['quick', 'slow'], 'toolUse')

const passes = defineGuardrail({ name: 'passes', check: pause as never })
const stars = defineGuardrail({
  name: 'stars',
  check: async ({ texts }) => {
    await pause()
    return { replace: texts.map((text) => text.replaceAll('done', '****')) }
  },
})

function scenario(name: string, script: readonly Reply[], hooks: HooksOptions): Scenario {
  return { name, script, options: { hooks: defineHooks(hooks) } }
}

/** A hook that takes a moment and then says something. */
function says<Word>(word: Word): () => Promise<Word> {
  return async () => {
    await pause()
    return word
  }
}

/** Turns in which hooks have their say. */
export const hookScenarios: readonly Scenario[] = [
  scenario('a blocked input', [], { preHooks: [says(undefined), says({ block: 'not this' })] }),
  scenario('a replaced input', [answer], {
    preHooks: [passes, says({ replace: 'Rather this.' })],
    afterTurn: says(undefined),
    onCancel: says(undefined),
  }),
  scenario('a replaced answer', [answer], { postHooks: [says({ replace: 'Replaced.' }), passes] }),
  scenario('a blocked answer', [answer], {
    postHooks: [says(undefined), says({ block: 'not that' })],
    storeRejected: 'full',
  }),
  scenario('an answer that is sent back', [answer, reply('Better.', [], 'endTurn')], {
    postHooks: [
      async ({ result }) => {
        await pause()
        if (result.text !== 'Better.') throw new RetryModel('better')
      },
    ],
  }),
  scenario('an answer that is buffered', [two, answer], { postHooks: [stars], outputMode: 'buffer' }),
  scenario('an answer behind a window', [two, answer], { postHooks: [stars], outputMode: { window: 3 } }),
  scenario('hooks around parallel tools', [two, answer], {
    toolHooks: [
      async (_call, next) => {
        await pause()
        const result = await next()
        await pause()
        return result
      },
      (_call, next) => next(),
    ],
  }),
  {
    ...scenario('hooks of a tool', [two, answer], {}),
    slowHooks: toolHooks({
      before: says(undefined),
      after: says(undefined),
      around: [(_call, next) => next()],
      cache: { ttlMs: 1000 },
    }),
  },
  scenario('hooks before and after a batch', [two, answer], {
    beforeModelCall: ({ iteration, inject }) => {
      if (iteration === 1) inject('By the way.')
    },
    beforeToolCall: says(undefined),
    afterToolCall: async ({ results }) => {
      await pause()
      return { replace: results.map(({ callId }) => ({ callId, result: { content: [{ type: 'text', text: 'x' }] } })) }
    },
    afterModelCall: says(undefined),
  }),
  scenario('a check of results', [two, answer], { toolGuardrails: [stars] }),
  scenario('a check that refuses a call', [two], {
    toolGuardrails: [defineGuardrail({ name: 'refuses', phases: ['tool-input'], check: says({ block: 'not so' }) })],
  }),
]
