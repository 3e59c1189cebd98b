const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

async function* partsOf(source) {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: 't0' }
  for await (const delta of source()) yield { type: 'text-delta', id: 't0', delta }
  yield { type: 'text-end', id: 't0' }
  yield { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } }
}

/** An iterable as a stream that is read when it is pulled. */
export function streamOf(iterable) {
  const iterator = iterable[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

/** A mock model of the AI SDK's provider interface, version 4, whose text comes from outside: one for every peer that takes one. */
export const browserModel = (source) => ({
  specificationVersion: 'v4',
  provider: 'mock',
  modelId: 'mock',
  supportedUrls: {},
  doStream: async () => ({ stream: streamOf(partsOf(source)) }),
})
