import {
  type AgentOptions,
  createAgent,
  createMemoryLog,
  structured,
  type Tool,
  ToolRunner,
  tool,
} from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { echo, outline, say } from './loop-setup.ts'
import { resumeTurn } from './turn-setup.ts'

/** The steps of a script by how many replies of the model the turn has. */
type Steps = (replies: number) => ScriptStep

/** Goes on with each log that a crash can leave of a turn; those of its ends that differ from the uncut one's. */
async function resumeEach(options: Partial<AgentOptions>, steps: Steps): Promise<string[]> {
  const build = () => {
    const model = scriptedModel(({ messages }) => {
      const replies = messages.filter((message) => message.role === 'assistant' && message.synthetic === undefined)
      return steps(replies.length)
    })
    return createAgent({ model, clock: manualClock(), ...options })
  }
  const agent = build()
  const log = createMemoryLog(agent.clock)
  const cuts: number[] = []
  const append: typeof log.append = (...drafts) => {
    const appended = log.append(...drafts)
    cuts.push(log.lastSequence)
    return appended
  }
  const describeEnd = async (turn: ToolRunner): Promise<string> => {
    const { outcome, text, messages, output, usage, iterations } = await turn.untilDone()
    return JSON.stringify({ outcome, text, messages: outline(messages), output, usage, iterations })
  }
  const whole = await describeEnd(new ToolRunner(agent.parts({ append }), 'Go'))
  const ends = await Promise.all(
    cuts.slice(0, -1).map(async (cut) => {
      const end = await describeEnd(resumeTurn(build(), log.entries.slice(0, cut)).turn)
      return end === whole ? [] : [`after ${log.entries[cut - 1]?.type}: ${end}, not ${whole}`]
    }),
  )
  return ends.flat()
}

const ender: Tool = tool({ name: 'end', description: 'Ends', effect: 'read', stopAfter: true, execute: () => 'over' })

describe('a turn cut after the batch that ends it ends the same way', () => {
  test('with the results as the answer', async () => {
    const script: Steps = (index) => (index === 0 ? { calls: [say('a')] } : 'Asked again.')
    expect(await resumeEach({ tools: [echo], toolResultMode: 'passthrough' }, script)).toEqual([])
  })

  test('with empty results as the answer', async () => {
    const quiet = tool({ name: 'quiet', description: 'q', effect: 'read', execute: () => undefined })
    const script: Steps = (index) => (index === 0 ? { calls: [{ name: 'quiet' }] } : 'Asked again.')
    expect(await resumeEach({ tools: [quiet], toolResultMode: 'passthrough' }, script)).toEqual([])
  })

  test('with a tool that stops it', async () => {
    const script: Steps = (index) => (index === 0 ? { calls: [{ name: 'end' }] } : 'Asked again.')
    expect(await resumeEach({ tools: [ender] }, script)).toEqual([])
  })

  test('with a call that repeats', async () => {
    const script: Steps = () => ({ calls: [say('again')] })
    expect(await resumeEach({ tools: [echo], repeatLimit: 1 }, script)).toEqual([])
  })

  test('over the cap, with a last answer', async () => {
    const script: Steps = (index) => (index > 1 ? 'Last.' : { calls: [say(`${index}`)] })
    expect(await resumeEach({ tools: [echo], maxIterations: 1, onMaxIterations: 'answer' }, script)).toEqual([])
  })
})

test('any turn that is cut anywhere ends the same way', async () => {
  const steps: ScriptStep[] = [
    ...[
      { calls: [say('a')] },
      { calls: [say('a'), say('b')] },
      { calls: [{ name: 'end' }] },
      { calls: [{ name: 'nobody' }] },
    ],
    ...[
      { text: 'Wait.', stopReason: 'pause' as const },
      { calls: [say('a')], stopReason: 'maxTokens' as const },
    ],
    ...[
      { text: 'Cut', stopReason: 'maxTokens' as const },
      { calls: [say('a')], stopReason: 'safety' as const },
    ],
    ...[{ text: '' }, { text: '', stopReason: 'toolUse' as const }, 'word', '{"n":1}', '{"n":"x"}'],
    ...[1, 'x'].map((n) => ({ calls: [{ name: 'final_answer', input: { n } }] })),
  ]
  const outputs = (['tool', 'final', 'always'] as const).map((policy) =>
    structured(z.object({ n: z.number() }), { policy }),
  )
  const limits = fc.record<Partial<AgentOptions>>(
    {
      toolResultMode: fc.constant('passthrough' as const),
      maxIterations: fc.constantFrom(0, 1),
      onMaxIterations: fc.constant('answer' as const),
      budget: fc.constant({ totalTokens: 40 }),
      repeatLimit: fc.constant(1),
      output: fc.constantFrom(...outputs),
    },
    { requiredKeys: [] },
  )
  const script = fc.array(fc.constantFrom(...steps), { minLength: 6, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(limits, script, async (options, replies) => {
      const faults = await resumeEach({ tools: [echo, ender], ...options }, (index) => replies[index] ?? 'End.')
      expect(faults).toEqual([])
    }),
    { numRuns: 60 },
  )
})
