/** What a tool returned, if it is to be read chunk by chunk: an async iterable or a stream. */
export function chunksOf(value: unknown): AsyncIterable<unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof ReadableStream) return readStream(value)
  // Having the method is what makes an async iterable.
  return Symbol.asyncIterator in value ? (value as AsyncIterable<unknown>) : undefined
}

/** WebKit's streams can neither be iterated nor transferred: all are read the same way, and sent in messages. */
async function* readStream(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } finally {
    // Rejects for a stream that has failed; that failure was thrown above already.
    await reader.cancel().catch(() => {})
  }
}
