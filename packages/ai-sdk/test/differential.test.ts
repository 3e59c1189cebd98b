/**
 * Our loop and the AI SDK's `ToolLoopAgent` over the same random scripts: the same calls run in the same order with the
 * same results, the same requests are made, and the same text comes out.
 *
 * Both must be defined, so the scripts leave out where the two differ on purpose:
 * - an empty last reply: we ask once more and then fail; the AI SDK takes it for the answer;
 * - calls under a finish of `stop`, `other` or an unknown word: we run them; the AI SDK drops them and ends;
 * - calls under `length` or `content-filter`: we answer each as not run, and tell the model about the limit once; the AI
 *   SDK ends with calls that nothing answers;
 * - a tool's name in another case: we take the one tool it can mean; the AI SDK knows none of that name;
 * - arguments that are written as text inside text, or `null` for an optional field: we read them where the schema allows
 *   it; the AI SDK answers with an error;
 * - arguments that the schema changes (more keys than it has, defaults): we send the model back what it wrote; the AI SDK
 *   what the schema made of it;
 * - the same call again and again with the same result: we stop it; the AI SDK runs it up to its limit of steps, so every
 *   call here has a number of its own;
 * - one id for two calls: we give each its own; the AI SDK mixes them up.
 * What `lawfulPrompt` says holds too.
 */
import { createAgent, type Tool, tool } from '@turnloop/core'
import { isStepCount, ToolLoopAgent, type ToolSet, tool as theirTool } from 'ai'
import fc from 'fast-check'
import { beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { checked } from './support/agent-parts.ts'
import { lawfulPrompt } from './support/lawful-prompt.ts'
import { type ProviderStep, scriptedProvider } from './support/scripted-provider.ts'

beforeAll(() => {
  // The other loop tells its warnings on the console.
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
  return () => vi.unstubAllGlobals()
})

/** A call that both loops made, and what came of it. */
interface Ran {
  readonly name: string
  readonly n: number
  outcome?: unknown
}

const input = z.object({ n: z.number(), deep: z.array(z.string()).optional() })
type Input = z.infer<typeof input>

const BEHAVIOURS: Readonly<Record<string, (input: Input) => unknown>> = {
  double: ({ n }) => String(n * 2),
  describe: ({ deep, n }) => ({ n, deep: deep ?? [] }),
  late: async ({ n }) => {
    for (let turn = 0; turn < n % 5; turn += 1) await Promise.resolve()
    return `late ${n}`
  },
  boom: ({ n }) => {
    throw new Error(`boom ${n}`)
  },
  reject: ({ n }) => Promise.reject(new Error(`reject ${n}`)),
}

/** Each tool as one that notes when it starts and what comes of it. */
function noting(): { ran: Ran[]; run(name: string): (input: Input) => Promise<unknown> } {
  const ran: Ran[] = []
  const run = (name: string) => async (given: Input) => {
    const entry: Ran = { name, n: given.n }
    ran.push(entry)
    try {
      entry.outcome = await BEHAVIOURS[name]?.(given)
      return entry.outcome
    } catch (error) {
      entry.outcome = String(error)
      throw error
    }
  }
  return { ran, run }
}

async function ours(steps: readonly ProviderStep[]) {
  const { model, prompts } = scriptedProvider(steps)
  const { ran, run } = noting()
  const tools: Tool[] = Object.keys(BEHAVIOURS).map((name) =>
    tool({ name, description: name, input, execute: run(name) }),
  )
  const { text, outcome } = await createAgent({ model: checked(aiSdkModel(model)), tools })
    .turn('go')
    .untilDone()
  expect(outcome.kind).toBe('completed')
  return { text, ran, prompts: prompts.map(lawfulPrompt) }
}

async function theirs(steps: readonly ProviderStep[]) {
  const { model, prompts } = scriptedProvider(steps)
  const { ran, run } = noting()
  const tools: ToolSet = Object.fromEntries(
    Object.keys(BEHAVIOURS).map((name) => [
      name,
      theirTool({ description: name, inputSchema: input, execute: run(name) }),
    ]),
  )
  const agent = new ToolLoopAgent({ model, tools, stopWhen: isStepCount(steps.length + 1), maxRetries: 0 })
  const result = await agent.stream({ prompt: 'go' })
  await result.consumeStream()
  return { text: await result.text, ran, prompts: prompts.map(lawfulPrompt) }
}

const words = fc.constantFrom('Looking.', 'One moment, please.', 'ö, 漢字 and 🦊', 'a\nb')

/** What a model writes for arguments, well or badly; the number is unlike any other in the script. */
const writings = fc.constantFrom<(n: number) => string>(
  (n) => JSON.stringify({ n }),
  (n) => JSON.stringify({ n }),
  (n) => JSON.stringify({ n, deep: ['x', 'y'] }),
  (n) => JSON.stringify({ n: `${n}?` }),
  (n) => `{"n":${n}`,
  () => '{}',
  () => 'null',
  () => '[1]',
)

const scripts: fc.Arbitrary<ProviderStep[]> = fc
  .record({
    rounds: fc.array(
      fc.record({
        text: fc.option(words, { nil: undefined }),
        calls: fc.array(
          fc.record({ name: fc.constantFrom(...Object.keys(BEHAVIOURS), 'nobody', 'late', 'double'), write: writings }),
          { minLength: 1, maxLength: 5 },
        ),
      }),
      { maxLength: 5 },
    ),
    last: words,
  })
  .map(({ last, rounds }) => {
    let count = 0
    const steps = rounds.map(
      ({ calls, text }): ProviderStep => ({
        ...(text !== undefined && { text }),
        calls: calls.map(({ name, write }) => ({ id: `call-${++count}`, name, input: write(count) })),
      }),
    )
    return [...steps, { text: last }]
  })

test('random scripts give the same calls, results, requests and text in both loops', async () => {
  let calls = 0
  await fc.assert(
    fc.asyncProperty(scripts, async (steps) => {
      const [mine, other] = [await ours(steps), await theirs(steps)]
      expect(mine.text).toBe(other.text)
      expect(mine.ran).toEqual(other.ran)
      expect(mine.prompts).toEqual(other.prompts)
      calls += mine.ran.length
    }),
    { numRuns: 60 },
  )
  // Scripts in which nothing ran would agree on nothing.
  expect(calls).toBeGreaterThan(60)
}, 60_000)

test('results stand in call order in both loops, whichever came first', async () => {
  const calls = [4, 3, 2, 1].map((n) => ({ id: `call-${n}`, name: 'late', input: JSON.stringify({ n }) }))
  const steps: ProviderStep[] = [{ calls }, { text: 'Done.' }]
  const [mine, other] = [await ours(steps), await theirs(steps)]
  expect(mine).toEqual(other)
  expect(JSON.stringify(mine.prompts[1])).toMatch(/late 4.*late 3.*late 2.*late 1/)
})
