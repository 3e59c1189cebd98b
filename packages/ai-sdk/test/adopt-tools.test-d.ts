import { adoptTools } from '@turnloop/ai-sdk/tools'
import type { Tool } from '@turnloop/core'
import { jsonSchema, type ToolSet, tool } from 'ai'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const tools = {
  weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `Sunny in ${city}` }),
  ask: tool({ inputSchema: jsonSchema<{ question: string }>({ type: 'object' }), outputSchema: z.string() }),
  steps: tool({
    inputSchema: z.object({ count: z.number() }),
    async *execute({ count }) {
      for (let index = 0; index < count; index += 1) yield { index }
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: String(output.index) }),
    needsApproval: ({ count }) => count > 3,
  }),
}

test('what tool() returns can be adopted', () => {
  expectTypeOf(adoptTools(tools)).toEqualTypeOf<Tool[]>()
  expectTypeOf(adoptTools).toBeCallableWith(tools, { weather: { effect: 'read' } })
  expectTypeOf(adoptTools<ToolSet>).toBeCallableWith(tools)
})

test('a tool that is not there cannot be set up', () => {
  // @ts-expect-error: there is no such tool.
  expectTypeOf(adoptTools(tools, { wether: { effect: 'read' } })).toBeArray()
})
