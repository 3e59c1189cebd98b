import type { Message, Model, ModelEvent } from '@turnloop/core'
import { afterEach, expect, test, vi } from 'vitest'
import { checkedModel } from '../src/model/checked-model.ts'

const finish: ModelEvent = { type: 'finish', stopReason: 'endTurn' }
const model: Model = {
  provider: 'test',
  modelId: 'quiet',
  async *stream() {
    yield finish
  },
}
const question: Message = { id: 'u', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'Hello' }] }
const unanswered: Message = {
  id: 'a',
  role: 'assistant',
  createdAt: 0,
  stopReason: 'toolUse',
  content: [{ type: 'tool-call', callId: 'c', wireId: 'c', toolName: 'look', inputText: '{}' }],
}

afterEach(() => {
  vi.unstubAllGlobals()
})

async function ask(messages: readonly Message[]): Promise<{ events: ModelEvent[]; reported: string[] }> {
  const reported: string[] = []
  vi.stubGlobal('reportError', (error: Error) => reported.push(error.message))
  const events: ModelEvent[] = []
  const { signal } = new AbortController()
  for await (const event of checkedModel(model).stream({ messages, tools: [] }, { signal })) events.push(event)
  return { events, reported }
}

test('a sound request is asked without a word', async () => {
  expect(await ask([question])).toEqual({ events: [finish], reported: [] })
})

test('a request that would be refused is reported, and asked all the same', async () => {
  const { events, reported } = await ask([question, unanswered, { ...question, id: 'v' }])
  expect(events).toEqual([finish])
  expect(reported).toHaveLength(1)
  expect(reported[0]).toContain('A provider would refuse this request:\n- message 1:')
})
