import { ModelError, type ModelEvent, type ModelRequest } from '@turnloop/core'
import {
  deferred,
  manualClock,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptStep,
  scriptedModel,
} from '@turnloop/testing'
import { expect, test, vi } from 'vitest'
import { call, reply, text, user } from './history.ts'

const ask: ModelRequest = { messages: [user('u1')], tools: [] }
const live = new AbortController().signal

async function read(model: ScriptedModel, request = ask, signal = live): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of model.stream(request, { signal })) events.push(event)
  return events
}

/** Reads a step and stops it before its event number `at`. Tells what came, and what was thrown. */
async function stopAt(at: number, step: ScriptStep, options: ScriptedModelOptions = {}) {
  const controller = new AbortController()
  const model = scriptedModel([step], {
    ...options,
    beforeEvent: (_event, { event }) => (event === at ? controller.abort('stopped') : undefined),
  })
  const seen: string[] = []
  let thrown: unknown
  try {
    for await (const event of model.stream(ask, { signal: controller.signal })) seen.push(event.type)
  } catch (error) {
    thrown = error
  }
  return { seen, thrown, model }
}

test('a string is a text reply, streamed word by word', async () => {
  expect(await read(scriptedModel(['Good  morning\n']))).toEqual([
    { type: 'started' },
    { type: 'text-start', id: 'text-1' },
    { type: 'text-delta', id: 'text-1', delta: 'Good' },
    { type: 'text-delta', id: 'text-1', delta: '  morning' },
    { type: 'text-delta', id: 'text-1', delta: '\n' },
    { type: 'text-end', id: 'text-1' },
    { type: 'finish', stopReason: 'endTurn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } },
  ])
})

test('pieces of a fixed length never split a character', async () => {
  const events = await read(scriptedModel(['a😀b'], { chunk: 2 }))
  expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []))).toEqual(['a😀', 'b'])
})

test('reasoning, text and calls come in this order', async () => {
  const step = { reasoning: 'hm', text: 'Adding.', calls: [{ name: 'sum', input: { a: 1 } }, { name: 'now' }] }
  const events = await read(scriptedModel([step]))
  expect(events.map(({ type }) => type)).toEqual([
    ...['started', 'reasoning-start', 'reasoning-delta', 'reasoning-end', 'text-start', 'text-delta', 'text-end'],
    ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'],
    ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'finish'],
  ])
  expect(events.filter(({ type }) => type === 'tool-call')).toEqual([
    { type: 'tool-call', id: 'call-1-1', toolName: 'sum', inputText: '{"a":1}' },
    { type: 'tool-call', id: 'call-1-2', toolName: 'now', inputText: '{}' },
  ])
  expect(events.at(-1)).toMatchObject({ stopReason: 'toolUse' })
})

test('a call may have any id and any arguments', async () => {
  const events = await read(scriptedModel([{ calls: [{ name: 'sum', id: '', inputText: '{"a":' }] }]))
  expect(events).toContainEqual({ type: 'tool-call', id: '', toolName: 'sum', inputText: '{"a":' })
})

test('stop reason, raw word and usage are as scripted', async () => {
  const step = { text: 'x', stopReason: 'maxTokens', rawStopReason: 'length', usage: { outputTokens: 9 } } as const
  const finish = { type: 'finish', stopReason: 'maxTokens', rawStopReason: 'length', usage: { outputTokens: 9 } }
  expect((await read(scriptedModel([step]))).at(-1)).toEqual(finish)
})

test('an error part is followed by a finish', async () => {
  const events = await read(scriptedModel([{ error: 'overloaded' }]))
  expect(events.slice(1)).toMatchObject([{ type: 'error', error: 'overloaded' }, { stopReason: 'error' }])
})

test('raw events are handed out word for word', async () => {
  const events: ModelEvent[] = [{ type: 'custom', kind: 'x.y' }]
  expect(await read(scriptedModel([{ events }]))).toEqual(events)
})

test('a cut stream ends without a finish', async () => {
  expect((await read(scriptedModel([{ text: 'hi', cut: true }]))).at(-1)?.type).toBe('text-end')
})

test('a reply that throws does so after its content', async () => {
  const model = scriptedModel([{ text: 'hi', throws: new Error('reset') }])
  const stream = model.stream(ask, { signal: live })[Symbol.asyncIterator]()
  for (let at = 0; at < 4; at += 1) expect((await stream.next()).done).toBe(false)
  await expect(stream.next()).rejects.toThrow('reset')
})

test('a reply that only throws yields nothing', async () => {
  const stream = scriptedModel([{ throws: new Error('down') }]).stream(ask, { signal: live })
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('down')
})

test('a gate holds the first event back', async () => {
  const gate = deferred()
  const first = scriptedModel([{ text: 'hi', gate: gate.promise }])
    .stream(ask, { signal: live })
    [Symbol.asyncIterator]()
    .next()
  expect(await Promise.race([first, Promise.resolve('held')])).toBe('held')
  gate.resolve()
  expect((await first).value).toEqual({ type: 'started' })
})

test('a function may answer by what was asked', async () => {
  const model = scriptedModel(({ messages }, index) => `${index}: ${messages.length} messages`, { chunk: 99 })
  expect(await read(model)).toContainEqual({ type: 'text-delta', id: 'text-1', delta: '0: 1 messages' })
})

test('requests are kept as they were asked', async () => {
  const model = scriptedModel(['a', 'b'])
  const messages = [user('u1')]
  await read(model, { ...ask, messages })
  messages.push(user('u2'))
  await read(model, { ...ask, messages })
  expect(model.requests.map((request) => request.messages.length)).toEqual([1, 2])
  expect(
    Object.isFrozen(model.requests[0]?.messages[0]?.role === 'user' && model.requests[0].messages[0].content),
  ).toBe(true)
})

test('a request beyond the script fails and says what was asked', async () => {
  const model = scriptedModel([])
  await expect(read(model)).rejects.toThrow('no step for request 1, which ends with:\n- user: "hello"')
  await expect(read(model)).rejects.toBeInstanceOf(ModelError)
})

test('a request that a provider would refuse throws and is reported', async () => {
  const reported: ModelError[] = []
  const model = scriptedModel(['hi'], { onViolation: (error) => reported.push(error) })
  const messages = [user('u1'), reply('a1', [text('Adding.'), call('c1')]), user('u2')]
  await expect(read(model, { ...ask, messages })).rejects.toThrow('message 1: sum (c1) has no result')
  expect(reported.map(({ message }) => message)).toEqual(model.violations)
  expect(model.violations).toHaveLength(1)
})

test('every event of a stream can be the last before an abort', async () => {
  const whole = (await read(scriptedModel([{ text: 'one two', calls: [{ name: 'sum' }] }]))).map(({ type }) => type)
  for (const at of whole.keys()) {
    const { seen, thrown, model } = await stopAt(at, { text: 'one two', calls: [{ name: 'sum' }] })
    expect(seen).toEqual(whole.slice(0, at))
    expect(thrown).toBe('stopped')
    expect(model.abortedRequests).toEqual([0])
  }
})

test.each([
  ['end', ['started']],
  ['finish', ['started', 'finish']],
  ['ignore', ['started', 'text-start', 'text-delta', 'text-end', 'finish']],
] as const)('with onAbort "%s" an aborted stream does not throw', async (onAbort, types) => {
  const { seen, thrown } = await stopAt(1, 'hi', { onAbort })
  expect(seen).toEqual(types)
  expect(thrown).toBeUndefined()
})

test('an abort is answered while beforeEvent waits', async () => {
  const controller = new AbortController()
  const model = scriptedModel(['hi'], { beforeEvent: () => new Promise(() => {}) })
  const first = model.stream(ask, { signal: controller.signal })[Symbol.asyncIterator]().next()
  controller.abort('stopped')
  await expect(first).rejects.toBe('stopped')
})

test('a hanging stream can wait for its abort', async () => {
  const controller = new AbortController()
  const stream = scriptedModel([{ text: 'hi', hang: 'until-abort' }]).stream(ask, { signal: controller.signal })
  const iterator = stream[Symbol.asyncIterator]()
  for (let at = 0; at < 4; at += 1) await iterator.next()
  const rest = iterator.next()
  controller.abort('stopped')
  await expect(rest).rejects.toBe('stopped')
})

test('a hanging stream can be deaf to its signal', async () => {
  const controller = new AbortController()
  const stream = scriptedModel([{ hang: true }]).stream(ask, { signal: controller.signal })
  const iterator = stream[Symbol.asyncIterator]()
  await iterator.next()
  const rest = iterator.next()
  controller.abort('stopped')
  const allThatCanHappen = manualClock().advance(0)
  expect(await Promise.race([rest, allThatCanHappen.then(() => 'open')])).toBe('open')
})

test('a stream that ended before the abort counts as whole', async () => {
  const controller = new AbortController()
  const model = scriptedModel(['hi'])
  await read(model, ask, controller.signal)
  controller.abort()
  expect(model.abortedRequests).toEqual([])
})

test('without onViolation, a refused request is thrown where nothing can catch it', async () => {
  let task: unknown
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation((callback) => {
    task = callback
    return 0 as never
  })
  const model = scriptedModel(['hi'])
  await read(model, { ...ask, messages: [] }).catch(() => {})
  timer.mockRestore()
  expect(task).toThrow('Request 1 would be refused by a provider')
})
