import {
  type AssistantPart,
  type Clock,
  callModel,
  type Model,
  type ModelEvent,
  messageText,
  systemClock,
} from '@turnloop/core'
import { describe, expect, test, vi } from 'vitest'
import type { CallIds } from '../src/reply-builder.ts'
import { type Asked, ask, type Body, call, finish, mark, text, thought } from './model-setup.ts'
import { idle, streamOf } from './turn-setup.ts'

const whole: ModelEvent[] = [
  { type: 'started', modelId: 'x' },
  { type: 'reasoning-start', id: 'r' },
  thought('r', 'Hm.'),
  { type: 'reasoning-end', id: 'r', providerMetadata: mark('signed') },
  { type: 'text-start', id: 't' },
  text('t', 'Hello'),
  { type: 'text-end', id: 't' },
  { type: 'tool-input-start', id: 'c', toolName: 'sum' },
  { type: 'tool-input-delta', id: 'c', delta: '{}' },
  { type: 'tool-input-end', id: 'c' },
  call('c', 'sum'),
]
const cuts = Array.from({ length: whole.length + 1 }, (_value, length) => length)

/** What a reply cut after `length` events may still hold. */
function expectCut(content: readonly AssistantPart[], length: number): void {
  expect(content.map(({ type }) => type)).toEqual([
    ...(length >= 4 ? ['reasoning'] : []),
    ...(length >= 6 ? ['text'] : []),
    ...(length >= 11 ? ['tool-call'] : []),
  ])
}

describe.each(cuts)('a stream of which %i events arrive', (length) => {
  const arrived = whole.slice(0, length)

  test('and that then ends keeps what is whole', async () => {
    const { message, error } = await ask(streamOf(arrived)).reply
    expectCut(message.content, length)
    expect([message.stopReason, message.partial, error?.code]).toEqual(['error', true, 'stream-cut'])
  })

  test.each(['hang', { onAbort: 'throw' }, { onAbort: 'end' }] as const)('and that meets Stop by %j', async (then) => {
    const { reply, emitted, controller } = ask(streamOf(arrived, then))
    await idle()
    const before = emitted.length
    controller.abort()
    const { message, error } = await reply
    await idle()
    expectCut(message.content, length)
    expect([message.stopReason, message.partial, error]).toEqual(['cancelled', true, undefined])
    expect(emitted).toHaveLength(before)
  })
})

describe('abort', () => {
  test('a signal that has aborted asks no model', async () => {
    const controller = new AbortController()
    controller.abort()
    let asked = 0
    const model: Model = {
      ...streamOf([]),
      stream: () => {
        asked += 1
        return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }
      },
    }
    const ids: CallIds = { mint: (id) => ({ callId: id, wireId: id }), find: () => undefined }
    const options = { signal: controller.signal, messageId: 'm', ids, clock: systemClock, emit: () => {} }
    const { message } = await callModel(model, { messages: [], tools: [] }, options)
    expect([message.content, message.stopReason, asked]).toEqual([[], 'cancelled', 0])
  })

  test('parts that come after it are ignored', async () => {
    let go = (_event: ModelEvent): void => {}
    const model: Model = {
      ...streamOf([]),
      stream: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise((resolve) => (go = (value) => resolve({ done: false, value }))),
        }),
      }),
    }
    const { reply, emitted, controller } = ask(model)
    go(text('t', 'before'))
    await idle()
    controller.abort()
    go(text('t', ' after'))
    await idle()
    expect(messageText((await reply).message)).toBe('before')
    expect(emitted).toHaveLength(1)
  })

  test('a listener that aborts on a delta gets that delta too', async () => {
    const asked: Asked = ask(streamOf([text('t', 'one'), text('t', ' two'), finish]), {
      onEmit: () => asked.controller.abort(),
    })
    expect(messageText((await asked.reply).message)).toBe('one')
  })

  test('a stream that hangs is told to stop once, at once', async () => {
    const model = streamOf([text('t', 'Half')], 'hang')
    const { reply, controller } = ask(model)
    await idle()
    controller.abort()
    await reply
    expect(model.left).toBe(1)
  })

  test.each([
    [
      'throws',
      (): never => {
        throw new Error('no')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['hangs', () => new Promise<never>(() => {})],
    ['gives no promise', () => undefined],
  ])('a stream whose return %s keeps nobody waiting', async (_how, leave) => {
    const next = (): Promise<IteratorResult<ModelEvent>> => new Promise(() => {})
    const iterator = { next, return: leave } as AsyncIterator<ModelEvent>
    const { reply, controller } = ask({ ...streamOf([]), stream: () => ({ [Symbol.asyncIterator]: () => iterator }) })
    await idle()
    controller.abort()
    expect((await reply).message.stopReason).toBe('cancelled')
  })
})

describe('long streams', () => {
  test('100,000 deltas leave one part and its text', async () => {
    const seen: Body[] = []
    const model = streamOf([...Array.from({ length: 100_000 }, () => text('t', 'word ')), finish])
    const { message } = await ask(model, { onEmit: (body) => seen.push(body) }).reply
    expect([message.content.length, messageText(message).length, seen.length]).toEqual([1, 500_000, 100_000])
    expect(Object.keys(message.content[0] ?? {})).toEqual(['type', 'text'])
  })

  test('a burst lets the host take its turn every few milliseconds', async () => {
    // Each look at this clock takes a millisecond.
    let now = 0
    const clock: Clock = { now: () => now++, setTimer: () => () => {} }
    let turns = 0
    const { reply } = ask(streamOf([...Array.from({ length: 1000 }, () => text('t', '.')), finish]), { clock })
    let isDone = false
    const done = reply.then(() => {
      isDone = true
    })
    while (!isDone) {
      turns += 1
      await idle()
    }
    await done
    expect(turns).toBeGreaterThan(10)
  })

  test('pieces that come one by one need no turns beside their own', async () => {
    let now = 0
    const clock: Clock = { now: () => now, setTimer: () => () => {} }
    async function* paced(): AsyncGenerator<ModelEvent> {
      for (let index = 0; index < 96; index += 1) {
        now += 2
        yield text('t', '.')
      }
      yield finish
    }
    let turns = 0
    const yieldOnce = async (): Promise<void> => {
      turns += 1
    }
    vi.stubGlobal('scheduler', { yield: yieldOnce })
    await ask({ ...streamOf([]), stream: paced }, { clock }).reply
    vi.unstubAllGlobals()
    // For all that is known, the source has calculated all these 192 ms: every 48 of them the host has its turn.
    expect(turns).toBe(4)
  })
})
