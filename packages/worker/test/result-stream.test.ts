import { type Tool, tool } from '@turnloop/core'
import { deafTool, deferred } from '@turnloop/testing'
import { describe, expect, it } from 'vitest'
import { ResultStream } from '../src/result-stream.ts'
import { workplace } from './workplace.ts'

function streamOf() {
  const acks: number[] = []
  let left = 0
  const stream = new ResultStream({ ack: (count) => void acks.push(count), leave: () => (left += 1) })
  return { stream, acks, left: () => left }
}

describe('a result stream', () => {
  it('gives chunks in order, whether they came before the reader or after', async () => {
    const { stream } = streamOf()
    stream.push('a')
    const steps = [stream.next(), stream.next(), stream.next()]
    stream.push('b')
    stream.close()
    expect(await Promise.all(steps)).toEqual([
      { done: false, value: 'a' },
      { done: false, value: 'b' },
      { done: true, value: undefined },
    ])
  })

  it('acknowledges chunks as they are read, in halves of a window', async () => {
    const { stream, acks } = streamOf()
    for (let n = 0; n < 16; n += 1) stream.push(n)
    expect(acks).toEqual([])
    for (let n = 0; n < 16; n += 1) await stream.next()
    expect(acks).toEqual([8, 8])
  })

  it('gives what had come before it throws, once', async () => {
    const { stream } = streamOf()
    stream.push('a')
    stream.close({ error: new Error('cut') })
    expect(await stream.next()).toEqual({ done: false, value: 'a' })
    await expect(stream.next()).rejects.toThrow('cut')
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })

  it('that is left tells so once', async () => {
    const { stream, left } = streamOf()
    for await (const chunk of pushing(stream)) if (chunk === 'a') break
    await stream.return()
    expect(left()).toBe(1)
    expect(await stream.next()).toEqual({ done: true, value: undefined })
  })
})

function pushing(stream: ResultStream): ResultStream {
  stream.push('a')
  stream.push('b')
  return stream
}

describe('a streaming tool in a worker', () => {
  it('is an async iterable in the page', async () => {
    const place = await workplace(() => [
      streaming(async function* () {
        yield* ['three ', 'words ', 'long']
      }),
    ])
    expect(await read(place.run('stream'))).toEqual({ chunks: ['three ', 'words ', 'long'] })
  })

  it('that fails gives its chunks first', async () => {
    const place = await workplace(() => [
      streaming(async function* () {
        yield 'a'
        throw new RangeError('row 2')
      }),
    ])
    expect(await read(place.run('stream'))).toMatchObject({ chunks: ['a'], error: { name: 'RangeError' } })
  })

  it('pauses while the page does not read', async () => {
    let given = 0
    const numbers = streaming(async function* () {
      for (; given < 100; given += 1) yield given
    })
    const place = await workplace(() => [
      numbers,
      tool({ name: 'turn', description: 'Is there.', execute: () => 'ok' }),
    ])
    const stream = await place.run('stream')
    await place.run('turn')
    expect(given).toBe(16)
    expect((await read(Promise.resolve(stream))).chunks).toHaveLength(100)
  })

  it('is stopped when its reader leaves, and keeps its worker', async () => {
    const closed = deferred()
    const place = await workplace(() => [
      streaming(async function* () {
        try {
          for (;;) yield 'tick'
        } finally {
          closed.resolve()
        }
      }),
    ])
    for await (const _chunk of asIterable(await place.run('stream'))) break
    await closed.promise
    expect(place.alive).toBe(1)
  })

  it('whose worker crashes is cut where it was, in doubt if it is unsafe', async () => {
    const begun = deferred()
    const place = await workplace(() => [
      streaming(async function* () {
        yield 'a'
        begun.resolve()
        await new Promise(() => {})
      }),
    ])
    const reading = read(place.run('stream'))
    await begun.promise
    place.workers[0]?.emit('error', { message: 'boom' })
    expect(await reading).toMatchObject({ error: { code: 'worker-crashed', facts: { outcomeUnknown: true } } })
  })

  it('is cut, not repeated, where its worker is ended for another', async () => {
    const begun = deferred()
    const deaf = deafTool()
    const look: Tool = {
      ...streaming(async function* () {
        yield 'a'
        begun.resolve()
        await new Promise(() => {})
      }),
      effect: 'read',
    }
    const place = await workplace(() => [look, deaf])
    const reading = read(place.run('stream'))
    await begun.promise
    const controller = new AbortController()
    void place.run('deaf', { signal: controller.signal })
    await deaf.started
    controller.abort()
    await place.clock.advance(100)
    const { chunks, error } = await reading
    expect(chunks).toEqual(['a'])
    expect(error).toMatchObject({ message: expect.stringContaining('The call of stream did not finish.') })
  })

  it('is held to its time limit until its last chunk', async () => {
    const begun = deferred()
    const place = await workplace(() => [
      {
        ...streaming(async function* () {
          yield 'a'
          begun.resolve()
          await new Promise(() => {})
        }),
        timeoutMs: 1000,
      },
    ])
    const reading = read(place.run('stream'))
    await begun.promise
    await place.clock.advance(1100)
    expect(await reading).toMatchObject({ chunks: ['a'], error: { code: 'tool-timed-out' } })
  })
})

function streaming(execute: () => AsyncIterable<unknown>): Tool {
  return tool({ name: 'stream', description: 'Yields.', execute })
}

function asIterable(value: unknown): AsyncIterable<unknown> {
  if (!(value instanceof ResultStream)) throw new Error('not streamed')
  return value
}

async function read(call: Promise<unknown>): Promise<{ chunks: unknown[]; error?: unknown }> {
  const chunks: unknown[] = []
  try {
    for await (const chunk of asIterable(await call)) chunks.push(chunk)
    return { chunks }
  } catch (error) {
    return { chunks, error }
  }
}
