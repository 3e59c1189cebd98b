import { createAgent, defineHooks, structured, tool } from '@turnloop/core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createGgufHost, type GgufHost } from '../../src/model/gguf/gguf-host.ts'
import { ggufModel } from '../../src/model/gguf/gguf-model.ts'
import { startWllama } from '../../src/model/gguf/start-wllama.ts'
import { tinyGguf } from '../tiny-gguf.ts'

// Without JSPI the engine reads the file another way and its prompt cannot be interrupted; its makers support Chromium first.
const runs = test.skipIf(!('Suspending' in WebAssembly))

let file: File
const hosts: GgufHost[] = []

beforeAll(() => {
  file = new File([tinyGguf()], 'tiny.gguf')
})

afterEach(() => {
  for (const host of hosts.splice(0)) host.close()
})

function createHost(): GgufHost {
  const host = createGgufHost({ start: startWllama, contextTokens: () => 2048 })
  hosts.push(host)
  return host
}

const choose = tool({
  name: 'choose_town',
  description: 'Choose a town.',
  input: z.object({ town: z.enum(['Oslo', 'Lima']), sunny: z.boolean() }),
  execute: ({ town }) => ({ chosen: town }),
})

runs('the real engine is held to a valid call, which the loop runs to a final answer', async () => {
  const host = createHost()
  await host.open(file)
  const { kind } = host.state.get()
  expect(kind).toBe('ready')
  // Random weights would go on for ever in free text: first a call has to come, then an answer of one word.
  const agent = createAgent({
    model: ggufModel(host),
    tools: [choose],
    output: structured(z.object({ mood: z.enum(['good', 'bad']) })),
    settings: { maxOutputTokens: 400, seed: 7 },
    hooks: defineHooks({
      beforeModelCall: ({ request }) => ({
        replace: { toolChoice: request.messages.length === 1 ? 'required' : 'none' },
      }),
    }),
  })

  const result = await agent.turn('Where to?').untilDone()

  expect(result.outcome).toMatchObject({ kind: 'completed' })
  expect(result.output?.mood).toMatch(/^(good|bad)$/)
  const answer = result.messages.find((message) => message.role === 'tool')?.results[0]
  expect(answer).toMatchObject({ toolName: 'choose_town', status: 'ok' })
  expect(answer?.result.structuredContent?.chosen).toMatch(/^(Oslo|Lima)$/)
  expect(result.usage.outputTokens).toBeGreaterThan(10)
})

runs('a Stop in the middle of an answer ends it, and the next question is answered', async () => {
  const host = createHost()
  await host.open(file)
  const agent = createAgent({ model: ggufModel(host), settings: { maxOutputTokens: 2000 } })
  const turn = agent.turn('Tell me a story.')
  let pieces = 0
  for await (const event of turn.events()) {
    if (event.type === 'text-delta' && ++pieces === 3) turn.cancel()
  }
  const stopped = await turn.untilDone()
  const next = await agent
    .with({ settings: { maxOutputTokens: 5 } })
    .turn('And now?')
    .untilDone()

  expect(stopped.outcome.kind).toBe('cancelled')
  expect(stopped.text).not.toBe('')
  expect(next.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'maxTokens' })
  expect(host.state.get().kind).toBe('ready')
})

describe('a file that is no model', () => {
  test.each([
    ['notes.txt', 'just some text', 'is not a GGUF file'],
    ['old.gguf', 'GGUF\u0001\u0000\u0000\u0000', 'version 1'],
    ['model-00002-of-00003.gguf', 'GGUF\u0003\u0000\u0000\u0000', 'one part of a model that was split'],
  ])('%s is refused in words', async (name, content, part) => {
    const host = createHost()
    await host.open(new File([content], name))
    expect(host.state.get()).toMatchObject({ kind: 'failed', name, reason: expect.stringContaining(part) })
  })

  runs('a damaged one is told as damaged, and another is opened after it', async () => {
    const host = createHost()
    await host.open(new File([tinyGguf().slice(0, 20_000)], 'half.gguf'))
    const { kind } = host.state.get()
    expect(host.state.get()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('may be damaged') })
    await host.open(file)
    expect([kind, host.state.get().kind]).toEqual(['failed', 'ready'])
  })
})
