import { expect, it } from 'vitest'
import { drainResult } from '../src/drain-result.ts'

function drain(returned: unknown, signal: AbortSignal = new AbortController().signal) {
  const updates: unknown[] = []
  return { updates, result: drainResult(returned, { signal, onProgress: (update) => void updates.push(update) }) }
}

async function* letters(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
}

it('returns a plain value as it is', async () => {
  const value = { rows: [1] }
  expect(await drain(value).result).toBe(value)
})

it('joins chunks of text and reports the text so far', async () => {
  const { updates, result } = drain(letters())
  expect(await result).toBe('ab')
  expect(updates).toEqual(['a', 'ab'])
})

it('reports chunks that are not text and takes the last', async () => {
  async function* counts() {
    yield { done: 1 }
    yield { done: 2 }
  }
  const { updates, result } = drain(counts())
  expect(await result).toEqual({ done: 2 })
  expect(updates).toEqual([{ done: 1 }, { done: 2 }])
})

it('makes empty text of an iterable without chunks', async () => {
  async function* nothing() {}
  expect(await drain(nothing()).result).toBe('')
})

it('reads a stream like an iterable', async () => {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue('x')
      controller.enqueue('y')
      controller.close()
    },
  })
  expect(await drain(stream).result).toBe('xy')
})

it('an abort closes the iterable and throws its reason', async () => {
  const controller = new AbortController()
  let closed = false
  async function* endless() {
    try {
      for (;;) {
        yield 'tick'
        controller.abort('enough')
      }
    } finally {
      closed = true
    }
  }
  const { updates, result } = drain(endless(), controller.signal)
  await expect(result).rejects.toBe('enough')
  expect({ updates, closed }).toEqual({ updates: ['tick'], closed: true })
})

it('throws what the iterable throws', async () => {
  async function* failing() {
    yield 'a'
    throw new RangeError('row 2')
  }
  await expect(drain(failing()).result).rejects.toThrow(RangeError)
})

it('throws what a stream fails with', async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.error(new TypeError('cut')) })
  await expect(drain(stream).result).rejects.toThrow('cut')
})
