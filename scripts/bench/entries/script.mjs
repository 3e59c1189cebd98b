// A model that asks for add(1, 2) once, then answers with what the tool said; for every entry that takes one of the AI SDK.

export const parameters = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
}

export const add = async ({ a, b }) => a + b

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }

const streamOf = (parts) => ({
  stream: new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  }),
})

const asks = () =>
  streamOf([
    { type: 'tool-call', toolCallId: 'c', toolName: 'add', input: '{"a":1,"b":2}' },
    { type: 'finish', usage, finishReason: { unified: 'tool-calls' } },
  ])

const says = (text) =>
  streamOf([
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
    { type: 'finish', usage, finishReason: { unified: 'stop' } },
  ])

export const providerModel = () => ({
  specificationVersion: 'v4',
  provider: 'fake',
  modelId: 'fake',
  supportedUrls: {},
  async doStream({ prompt }) {
    const last = prompt.at(-1)
    return last.role === 'tool' ? says(`sum ${last.content[0].output.value}`) : asks()
  },
})
