import { type Tool, tool } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { transfer } from '../src/transfer.ts'
import { served } from './served.ts'

function toolThat(execute: () => unknown): Tool {
  return tool({ name: 'probe', description: 'For tests.', execute })
}

describe('a streamed result', () => {
  it('comes chunk by chunk and ends with an empty result', async () => {
    async function* words() {
      yield 'a'
      yield { n: 1 }
    }
    const { call, next } = await served([toolThat(words)])
    await call('probe')
    expect([await next(), await next(), await next(), await next()]).toEqual([
      { kind: 'turnloop:stream', id: 1 },
      { kind: 'turnloop:chunk', id: 1, value: 'a' },
      { kind: 'turnloop:chunk', id: 1, value: { n: 1 } },
      { kind: 'turnloop:result', id: 1, value: undefined },
    ])
  })

  it('stays a window ahead of the page and goes on with its acks', async () => {
    let given = 0
    async function* numbers() {
      for (; given < 40; given += 1) yield given
    }
    const { post, call, rest } = await served([toolThat(numbers)])
    await call('probe')
    expect((await rest()).filter(({ kind }) => kind === 'turnloop:chunk')).toHaveLength(16)
    expect(given).toBe(16)
    post({ kind: 'turnloop:ack', id: 1, count: 8 })
    expect(await rest()).toHaveLength(8)
  })

  it('that waits for acks is closed by an abort', async () => {
    let closed = false
    async function* endless() {
      try {
        for (;;) yield 'tick'
      } finally {
        closed = true
      }
    }
    const { post, call, rest } = await served([toolThat(endless)])
    await call('probe')
    await rest()
    post({ kind: 'turnloop:cancel', id: 1, reason: { value: 'enough' } })
    expect(await rest()).toEqual([{ kind: 'turnloop:failure', id: 1, thrown: { value: 'enough' } }])
    expect(closed).toBe(true)
  })

  it('of a stream is read with its reader', async () => {
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue('x')
        controller.close()
      },
    })
    const { call, rest } = await served([toolThat(() => stream)])
    await call('probe')
    expect((await rest()).map(({ kind }) => kind)).toEqual(['turnloop:stream', 'turnloop:chunk', 'turnloop:result'])
    expect(stream.locked).toBe(true)
  })

  it.each([
    ['iterable', () => throwing()],
    ['stream', () => new ReadableStream({ pull: (controller) => controller.error(new TypeError('cut')) })],
  ])('fails with what its %s throws', async (_kind, make) => {
    const { call, rest } = await served([toolThat(make)])
    await call('probe')
    expect((await rest()).at(-1)).toMatchObject({ thrown: { error: { name: 'TypeError', message: 'cut' } } })
  })

  it('fails at a chunk that cannot be cloned and names the path', async () => {
    async function* odd() {
      yield { draw: () => {} }
    }
    const { call, rest } = await served([toolThat(odd)])
    await call('probe')
    expect((await rest()).at(-1)).toMatchObject({
      thrown: { error: { code: 'not-cloneable', facts: { path: 'chunk.draw' } } },
    })
  })
})

describe('transfer', () => {
  it('moves what it lists out of the worker', async () => {
    const bytes = new Uint8Array([1, 2, 3])
    const { call, next } = await served([toolThat(() => transfer({ bytes }, [bytes.buffer]))])
    await call('probe')
    expect(await next()).toMatchObject({ kind: 'turnloop:result', value: { bytes: new Uint8Array([1, 2, 3]) } })
    expect(bytes.byteLength).toBe(0)
  })

  it('moves the buffers of a chunk', async () => {
    const bytes = new Uint8Array(8)
    async function* pieces() {
      yield transfer(bytes, [bytes.buffer])
    }
    const { call, rest } = await served([toolThat(pieces)])
    await call('probe')
    expect(await rest()).toHaveLength(3)
    expect(bytes.byteLength).toBe(0)
  })

  it('leaves a result that lists nothing where it is', async () => {
    const bytes = new Uint8Array(3)
    const { call, next } = await served([toolThat(() => bytes)])
    await call('probe')
    await next()
    expect(bytes.byteLength).toBe(3)
  })
})

async function* throwing(): AsyncGenerator<string> {
  yield 'a'
  throw new TypeError('cut')
}
