import { adoptTools } from '@turnloop/ai-sdk/tools'
import { createAgent, type Tool, type ToolContext, type TurnEvent } from '@turnloop/core'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { dynamicTool, jsonSchema, tool, zodSchema } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'

const city = z.object({ city: z.string() })

/** Run one call of a tool in a turn and give back its result, the requests and everything that happened. */
async function runCall(tools: Tool[], input: unknown) {
  const [first] = tools
  const model = scriptedModel([{ calls: [{ name: first?.name ?? '', input }] }, 'Done.'])
  const events: TurnEvent[] = []
  const agent = createAgent({ model, tools, clock: manualClock() })
  const result = await agent.turn('Go.', { onEvent: (event) => events.push(event) }).untilDone()
  const [answer] = result.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  return { result, answer, events, model }
}

test('a tool with a zod schema runs with checked arguments', async () => {
  const tools = adoptTools({
    weather: tool({
      description: 'Weather now',
      inputSchema: city,
      execute: async ({ city: name }) => ({ name, degrees: 20 }),
    }),
  })

  const { answer, model } = await runCall(tools, { city: 'Paris' })

  expect(answer).toMatchObject({ status: 'ok', result: { structuredContent: { name: 'Paris', degrees: 20 } } })
  expect(model.requests[0]?.tools?.[0]).toMatchObject({
    name: 'weather',
    description: 'Weather now',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  })
})

test('arguments that the schema refuses never reach the tool', async () => {
  const seen: unknown[] = []
  const tools = adoptTools({ weather: tool({ inputSchema: city, execute: (input) => seen.push(input) }) })

  const { answer } = await runCall(tools, { city: 7 })

  expect(answer?.status).toBe('error')
  expect(seen).toEqual([])
})

test('jsonSchema without a check of its own is checked all the same', async () => {
  const schema = jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  })
  const tools = adoptTools({ weather: tool({ inputSchema: schema, execute: async ({ city: name }) => name }) })

  expect((await runCall(tools, { city: 7 })).answer?.status).toBe('error')
  expect((await runCall(tools, { city: 'Paris' })).answer?.result.content).toEqual([{ type: 'text', text: 'Paris' }])
})

test('the check of a jsonSchema decides what the tool gets', async () => {
  const schema = jsonSchema<{ count: number }>(
    { type: 'object' },
    {
      validate: (value) => {
        const count = Number((value as { count: unknown }).count)
        return Number.isNaN(count)
          ? { success: false, error: new Error('no number') }
          : { success: true, value: { count } }
      },
    },
  )
  const tools = adoptTools({ double: tool({ inputSchema: schema, execute: async ({ count }) => String(count * 2) }) })

  expect((await runCall(tools, { count: '21' })).answer?.result.content).toEqual([{ type: 'text', text: '42' }])
  expect(JSON.stringify((await runCall(tools, { count: 'x' })).answer)).toContain('no number')
})

test('schemas of zodSchema and lazy ones are taken', async () => {
  const tools = adoptTools({
    wrapped: tool({ inputSchema: zodSchema(city), execute: async ({ city: name }) => name }),
    lazy: dynamicTool({ inputSchema: () => zodSchema(city), execute: async () => 'lazy' }),
  })

  expect(tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))).toEqual([['city'], ['city']])
  expect((await runCall(tools, { city: 'Paris' })).answer?.result.content).toEqual([{ type: 'text', text: 'Paris' }])
})

test('the values of a generator are progress and the last one the result', async () => {
  const tools = adoptTools({
    write: tool({
      inputSchema: city,
      async *execute() {
        yield 'a'
        yield 'ab'
      },
    }),
  })

  const { answer, events } = await runCall(tools, { city: 'Paris' })

  expect(events.flatMap((event) => (event.type === 'tool-progress' ? [event.update] : []))).toEqual(['a', 'ab'])
  expect(answer?.result.content).toEqual([{ type: 'text', text: 'ab' }])
})

test('a generator that goes on after Stop is left', async () => {
  const stop = new AbortController()
  let isLeft = false
  const tools = adoptTools({
    count: tool({
      inputSchema: z.object({}),
      async *execute() {
        try {
          for (let index = 0; ; index += 1) {
            if (index === 3) stop.abort()
            yield index
          }
        } finally {
          isLeft = true
        }
      },
    }),
  })
  const agent = createAgent({ model: scriptedModel([{ calls: [{ name: 'count' }] }]), tools })

  const { outcome } = await agent.turn('Go.', { signal: stop.signal }).untilDone()

  expect(outcome.kind).toBe('cancelled')
  expect(isLeft).toBe(true)
})

test('the model reads what toModelOutput says and the page gets the output', async () => {
  const tools = adoptTools({
    look: tool({
      inputSchema: city,
      execute: async () => ({ base64: 'aGk=', secret: 'raw' }),
      toModelOutput: ({ output, toolCallId, input }) => ({
        type: 'content',
        value: [
          { type: 'text', text: `${input.city} ${toolCallId.length > 0}` },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: output.base64 } },
        ],
      }),
    }),
  })

  const { answer } = await runCall(tools, { city: 'Paris' })

  expect(answer?.result.content).toEqual([
    { type: 'text', text: 'Paris true' },
    { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  ])
  expect(answer?.result._meta).toEqual({ 'ai-sdk/output': { base64: 'aGk=', secret: 'raw' } })
})

test('an error that toModelOutput tells of is an error', async () => {
  const tools = adoptTools({
    look: tool({
      inputSchema: city,
      execute: async () => 'raw',
      toModelOutput: () => ({ type: 'error-json', value: { code: 4 } }),
    }),
  })

  expect((await runCall(tools, { city: 'Paris' })).answer).toMatchObject({
    status: 'error',
    result: { isError: true, content: [{ type: 'text', text: '{"code":4}' }] },
  })
})

test('needsApproval asks with the checked arguments', async () => {
  const asked: unknown[] = []
  const tools = adoptTools({
    pay: tool({
      inputSchema: z.object({ amount: z.number() }),
      needsApproval: ({ amount }, { toolCallId }) => {
        asked.push([amount, toolCallId.length > 0])
        return amount > 10
      },
      execute: async () => 'paid',
    }),
  })

  expect((await runCall(tools, { amount: 5 })).result.outcome.kind).toBe('completed')
  expect((await runCall(tools, { amount: 50 })).result.outcome.kind).toBe('awaiting')
  expect(asked).toEqual([
    [5, true],
    [50, true],
  ])
})

test('a tool without execute waits for the host', async () => {
  const tools = adoptTools({ ask: tool({ inputSchema: city, outputSchema: z.string() }) })

  const { outcome } = (await runCall(tools, { city: 'Paris' })).result

  expect(outcome).toMatchObject({ kind: 'awaiting', pending: [{ ask: 'answer', toolName: 'ask' }] })
})

test('execute sees id, context, a live signal and what the model was asked', async () => {
  const seen: Record<string, unknown>[] = []
  const tools = adoptTools(
    {
      weather: tool({
        inputSchema: city,
        contextSchema: z.object({ key: z.string() }),
        execute: async (_input, { toolCallId, messages, abortSignal, context }) => {
          seen.push({ toolCallId, messages, isLive: abortSignal?.aborted === false, context })
          return 'fine'
        },
      }),
    },
    { weather: { context: { key: 'k' } } },
  )

  const { answer } = await runCall(tools, { city: 'Paris' })

  expect(seen).toEqual([
    {
      toolCallId: answer?.callId,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
      isLive: true,
      context: { key: 'k' },
    },
  ])
})

test('what is set up beside a tool reaches the loop', () => {
  const tools = adoptTools(
    {
      weather: tool({ title: 'Weather', inputSchema: city, execute: async () => '' }),
      told: tool({
        description: ({ context }) => `Knows ${JSON.stringify(context)}`,
        inputSchema: city,
        execute: async () => '',
      }),
    },
    { weather: { effect: 'read', timeoutMs: 5000, exclusive: true, stopAfter: true }, told: { context: { a: 1 } } },
  )

  expect(tools[0]).toMatchObject({
    description: 'Weather',
    title: 'Weather',
    effect: 'read',
    timeoutMs: 5000,
    exclusive: true,
    stopAfter: true,
  })
  expect(tools[1]).toMatchObject({ description: 'Knows {"a":1}', effect: 'unsafe' })
})

test('what cannot be adopted is refused by name', () => {
  const webSearch = {
    type: 'provider',
    id: 'openai.web_search',
    isProviderExecuted: true,
    args: {},
    inputSchema: city,
  } as const
  const late = tool({ inputSchema: jsonSchema(Promise.resolve({ type: 'object' })), execute: async () => '' })
  const named = (name: string) => () => adoptTools({ [name]: tool({ inputSchema: city, execute: async () => '' }) })

  expect(() => adoptTools({ webSearch })).toThrow(/webSearch is defined by the provider/)
  expect(() => adoptTools({ late })).toThrow(/late\.inputSchema: its JSON Schema is still a promise/)
  expect(named('not a name')).toThrow(/not a name/)
  expect(() => adoptTools({}, { gone: { effect: 'read' } } as object)).toThrow(/there is no tool "gone"/)
})

test('the loop sees an adopted tool as any other', () => {
  const [adopted] = adoptTools({ weather: tool({ inputSchema: city, execute: async () => '' }) })
  const context = {} as ToolContext

  expect(() => createAgent({ model: scriptedModel([]), tools: adopted ? [adopted] : [] })).not.toThrow()
  expect(adopted?.execute({ city: 'Paris' }, context)).toBeInstanceOf(Promise)
})
