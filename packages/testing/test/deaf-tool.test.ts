import type { ToolContext } from '@turnloop/core'
import { deafTool } from '@turnloop/testing'
import { expect, test } from 'vitest'

function context(signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    callId: 'c1',
    idempotencyKey: 'k1',
    signal,
    progress: () => {},
    state: {},
    metadata: {},
    messages: [],
    turnId: 't1',
  }
}

test('it settles only when it is released', async () => {
  const deaf = deafTool()
  const result = Promise.resolve(deaf.execute({}, context()))
  expect(await Promise.race([result, Promise.resolve('open')])).toBe('open')
  deaf.release('done')
  expect(await result).toBe('done')
})

test('it ignores its signal', async () => {
  const deaf = deafTool()
  const result = Promise.resolve(deaf.execute({}, context(AbortSignal.abort())))
  expect(await Promise.race([result, Promise.resolve('open')])).toBe('open')
})

test('it throws what it is told to', async () => {
  const deaf = deafTool()
  const result = Promise.resolve(deaf.execute({}, context()))
  deaf.reject(new Error('too late'))
  await expect(result).rejects.toThrow('too late')
})

test('it tells when it was called, and with what', async () => {
  const deaf = deafTool()
  const given = context()
  void deaf.execute({ n: 1 }, given)
  await deaf.started
  expect(deaf.calls).toEqual([{ input: { n: 1 }, context: given }])
})

test('one release settles all open calls', async () => {
  const deaf = deafTool()
  const all = [deaf.execute({}, context()), deaf.execute({}, context())]
  deaf.release('done')
  expect(await Promise.all(all)).toEqual(['done', 'done'])
})

test('a release with no call open is refused', () => {
  expect(() => deafTool().release('done')).toThrow(expect.objectContaining({ code: 'bad-input' }))
})

test('it is a tool with the name and options it was given', () => {
  const deaf = deafTool({ name: 'slow_search', effect: 'read', exclusive: true, timeoutMs: 5 })
  expect(deaf).toMatchObject({ name: 'slow_search', effect: 'read', exclusive: true, timeoutMs: 5 })
})
