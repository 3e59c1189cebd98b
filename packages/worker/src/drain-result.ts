/**
 * Read what a tool returned. An async iterable or a stream is read to its end: if its chunks are text, `onProgress`
 * gets the text so far and the result is all of it; else both are the chunk as it is, and the last. Anything else is
 * the result.
 *
 * An abort ends the reading at the next chunk, closes the iterable, and throws the signal's reason.
 */
export async function drainResult(
  returned: unknown,
  options: { signal: AbortSignal; onProgress: (update: unknown) => void },
): Promise<unknown> {
  const chunks = chunksOf(returned)
  if (!chunks) return returned
  let last: unknown
  let text: string | undefined = ''
  for await (const chunk of chunks) {
    // The iterable is closed and waited for; if it does not end, the page's grace time ends this worker.
    options.signal.throwIfAborted()
    last = chunk
    text = typeof chunk === 'string' && text !== undefined ? text + chunk : undefined
    options.onProgress(text ?? last)
  }
  return text ?? last
}

function chunksOf(value: unknown): AsyncIterable<unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (value instanceof ReadableStream) return readStream(value)
  // Having the method is what makes an async iterable.
  return Symbol.asyncIterator in value ? (value as AsyncIterable<unknown>) : undefined
}

/** WebKit's streams are not iterable, so all are read the same way. */
async function* readStream(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
  const reader = stream.getReader()
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value
  } finally {
    // Rejects for a stream that has failed; that failure was thrown above already.
    await reader.cancel().catch(() => {})
  }
}
