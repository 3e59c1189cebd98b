import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createAgent, type JsonObject, structured } from '@turnloop/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { add, checked } from './support/agent-parts.ts'
import { chatCalls, chatText, messagesReply } from './support/wire-replies.ts'

const ADD = { id: 'c1', name: 'add', input: '{"a":2,"b":3}' }
const ANSWER = '{"sum":5}'

type Create = (fetch: typeof globalThis.fetch) => LanguageModelV4

/** What stands in a body for "answer in this form", in any protocol. */
function formOf(body: JsonObject): unknown {
  return body.response_format ?? body.output_config
}

/** A provider that refuses a schema and tools in one request, calls `add` first, and then gives the answer. */
function refusingBoth(answer: (body: JsonObject, index: number) => readonly unknown[]) {
  const bodies: JsonObject[] = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const body: JsonObject = JSON.parse(String(init?.body))
    const index = bodies.push(body) - 1
    if (body.tools !== undefined && formOf(body) !== undefined) {
      return new Response('{"error":{"message":"No JSON mode along with tools."}}', { status: 400 })
    }
    const lines = answer(body, index).map(
      (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
    )
    return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }
  return { fetch, bodies }
}

const chatAnswers = (body: JsonObject, index: number) => {
  if (index === 0) return chatCalls(ADD)
  return chatText(formOf(body) === undefined ? 'It is five.' : ANSWER)
}

const messagesAnswers = (body: JsonObject, index: number) => {
  if (index === 0) return messagesReply('tool_use', { type: 'call', ...ADD })
  return messagesReply('end_turn', { type: 'text', text: formOf(body) === undefined ? 'It is five.' : ANSWER })
}

/** Without a schema the answer is given by a tool. */
const toolAnswers = ({ tools }: JsonObject, index: number) => {
  if (index === 0) return chatCalls(ADD)
  const names = [...JSON.stringify(tools).matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name)
  const name = names.find((other) => other !== 'add') ?? ''
  return chatCalls({ id: 'c2', name, input: ANSWER })
}

test.each<[string, Create, (body: JsonObject, index: number) => readonly unknown[]]>([
  ['OpenAI chat', (fetch) => createOpenAI({ apiKey: 'key', fetch }).chat('gpt-5.2'), chatAnswers],
  ['Anthropic', (fetch) => createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5'), messagesAnswers],
  [
    'an endpoint without schemas',
    (fetch) => createOpenAICompatible({ name: 'local', baseURL: 'https://example.org', fetch })('m'),
    toolAnswers,
  ],
])('K2: tools and a schema never meet in one request: %s', async (_, create, answers) => {
  const { bodies, fetch } = refusingBoth(answers)
  const model = checked(aiSdkModel(create(fetch)))
  const agent = createAgent({ model, tools: [add], output: structured(z.object({ sum: z.number() })) })
  const result = await agent.turn('2 + 3?').untilDone()
  expect(result).toMatchObject({ outcome: { kind: 'completed' }, output: { sum: 5 } })
  // K4: until the answer is due, the tool is always there.
  expect(JSON.stringify(bodies[0]?.tools)).toContain('"add"')
  expect(JSON.stringify(bodies[1]?.tools)).toContain('"add"')
})
