import { deferred } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { EventReader, type EventSource } from '../src/event-reader.ts'
import type { StreamPart } from '../src/spec-versions.ts'
import { toModelEvents } from '../src/stream-parts.ts'
import { rejection } from './support/collect.ts'

const text: StreamPart = { type: 'text-delta', id: '1', delta: 'a' }
const finish: StreamPart = {
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
}

/** A stream that holds these parts and then stays open, unless they end it. */
function streamOf(
  parts: readonly StreamPart[],
  more: { close?: boolean; onCancel?: () => void } = {},
): ReadableStream<StreamPart> {
  return new ReadableStream<StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      if (more.close) controller.close()
    },
    cancel: () => more.onCancel?.(),
  })
}

function sourceOf(open: EventSource['open'], more: Partial<EventSource> = {}): EventSource {
  return { open, read: toModelEvents, atEnd() {}, toError: (thrown) => thrown, ...more }
}

test('nothing is asked before the first event is wanted', async () => {
  let opened = 0
  const source = sourceOf(async () => {
    opened++
    return streamOf([text], { close: true })
  })
  const reader = new EventReader(source, new AbortController().signal)
  expect(opened).toBe(0)
  await reader.next()
  await reader.next()
  expect(opened).toBe(1)
})

test('the events come in order and the end follows the finish', async () => {
  const reader = new EventReader(
    sourceOf(async () => streamOf([text, { type: 'ping' }, finish])),
    new AbortController().signal,
  )
  expect((await reader.next()).value).toEqual(text)
  expect((await reader.next()).value).toEqual({ type: 'ping' })
  expect((await reader.next()).value).toMatchObject({ type: 'finish' })
  expect((await reader.next()).done).toBe(true)
})

test('overlapping calls are answered in order', async () => {
  const reader = new EventReader(
    sourceOf(async () => streamOf([text, finish])),
    new AbortController().signal,
  )
  const results = await Promise.all([reader.next(), reader.next(), reader.next(), reader.next()])
  expect(results.map(({ done, value }) => (done ? 'end' : value.type))).toEqual(['text-delta', 'finish', 'end', 'end'])
})

test('aborting ends a read that the stream never answers', async () => {
  const controller = new AbortController()
  const cancelled = deferred()
  const source = sourceOf(async () => streamOf([text], { onCancel: () => cancelled.resolve() }))
  const reader = new EventReader(source, controller.signal)
  await reader.next()
  const pending = reader.next()
  controller.abort()
  expect((await pending).done).toBe(true)
  await cancelled.promise
})

test('aborting ends a request that is never answered, and is passed on', async () => {
  const controller = new AbortController()
  let seen: AbortSignal | undefined
  const source = sourceOf((signal) => {
    seen = signal
    return new Promise(() => {})
  })
  const reader = new EventReader(source, controller.signal)
  const pending = reader.next()
  controller.abort('stop')
  expect((await pending).done).toBe(true)
  expect(seen?.aborted).toBe(true)
  expect(seen?.reason).toBe('stop')
})

test('an answer that comes after the abort is closed', async () => {
  const controller = new AbortController()
  const cancelled = deferred()
  const late = deferred<ReadableStream<StreamPart>>()
  const reader = new EventReader(
    sourceOf(() => late.promise),
    controller.signal,
  )
  const pending = reader.next()
  controller.abort()
  await pending
  late.resolve(streamOf([text], { onCancel: () => cancelled.resolve() }))
  await cancelled.promise
})

test('with a signal that has aborted nothing is asked', async () => {
  const source = sourceOf(() => {
    throw new Error('asked')
  })
  expect((await new EventReader(source, AbortSignal.abort()).next()).done).toBe(true)
})

test('leaving early closes the stream while a read is pending', async () => {
  const cancelled = deferred()
  const source = sourceOf(async () => streamOf([text], { onCancel: () => cancelled.resolve() }))
  const reader = new EventReader(source, new AbortController().signal)
  await reader.next()
  const pending = reader.next()
  await reader.return()
  expect((await pending).done).toBe(true)
  await cancelled.promise
})

test('a failing stream rejects once and then ends', async () => {
  const source = sourceOf(
    async () => new ReadableStream({ start: (controller) => controller.error(new Error('broken')) }),
    { toError: (thrown) => new Error('mapped', { cause: thrown }) },
  )
  const reader = new EventReader(source, new AbortController().signal)
  expect(await rejection(reader.next())).toMatchObject({ message: 'mapped', cause: { message: 'broken' } })
  expect((await reader.next()).done).toBe(true)
})

test('an error after the abort is not heard', async () => {
  const controller = new AbortController()
  const failing = deferred<ReadableStream<StreamPart>>()
  const reader = new EventReader(
    sourceOf(() => failing.promise),
    controller.signal,
  )
  const pending = reader.next()
  controller.abort()
  failing.reject(new Error('too late'))
  expect((await pending).done).toBe(true)
})

test('no listener is left on the signal after the end', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (type: string, listener: EventListener) => {
    listeners.add(listener)
    add(type, listener)
  }
  signal.removeEventListener = (type: string, listener: EventListener) => {
    listeners.delete(listener)
    remove(type, listener)
  }
  const endings = [streamOf([finish]), streamOf([], { close: true }), streamOf([text])]
  for (const stream of endings) {
    const reader = new EventReader(
      sourceOf(async () => stream),
      signal,
    )
    await reader.next()
    await reader.return()
  }
  expect(listeners.size).toBe(0)
})

test('a source that objects to the end rejects the last read', async () => {
  const source = sourceOf(async () => streamOf([], { close: true }), {
    atEnd() {
      throw new Error('nothing came')
    },
  })
  const reader = new EventReader(source, new AbortController().signal)
  expect(await rejection(reader.next())).toMatchObject({ message: 'nothing came' })
})

test('nothing is pulled that nobody asked for', async () => {
  let made = 0
  const stream = new ReadableStream<StreamPart>({
    pull(controller) {
      made++
      controller.enqueue({ type: 'text-delta', id: '1', delta: 'x' })
    },
  })
  const reader = new EventReader(
    sourceOf(async () => stream),
    new AbortController().signal,
  )
  for (let index = 0; index < 50; index++) await reader.next()
  await reader.return()
  // A stream holds one part ahead by itself.
  expect(made).toBeLessThanOrEqual(52)
})
