/**
 * Let a caller know, once, when the body of a response has been read to its end or broke off. What is read stays the
 * same. A reader that cancels is not an end.
 */
export function watchBody(response: Response, onEnd: () => void): Response {
  const { body } = response
  if (body === null) {
    onEnd()
    return response
  }
  const reader = body.getReader()
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        onEnd()
        controller.close()
      } catch (error) {
        onEnd()
        controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  // The response keeps its URL and headers, which a new one would lose.
  return Object.defineProperty(response, 'body', { value: watched })
}
