import { createAgent, type ModelEvent, tool } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { browserModel } from '../src/model/browser-model.ts'
import { createBrowserModelDownload } from '../src/settings/browser-model-state.ts'
import { fakeBrowserModel } from './fake-browser-model.ts'

const add = tool({
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

describe('the model of the browser', () => {
  test('calls a tool in JSON and answers from its result', async () => {
    const api = fakeBrowserModel(['{"tool": "add", "input": {"a": 2, "b": 40}}', '{"answer": "It is **42**."}'])
    const agent = createAgent({ model: browserModel(api), tools: [add], instructions: 'Be brief.' })

    const result = await agent.turn('2 + 40?').untilDone()

    expect(result.outcome.kind).toBe('completed')
    expect(result.text).toBe('It is **42**.')
    expect(api.asked[1]?.last).toEqual([{ role: 'user', content: expect.stringContaining('{"sum":42}') }])
    expect(api.asked[0]?.before[0]).toEqual({
      role: 'system',
      content: expect.stringMatching(/^Be brief\.[\s\S]*- add: /),
    })
    expect(api.asked[0]?.constraint).toMatchObject({ anyOf: [{ properties: { tool: { const: 'add' } } }, {}] })
    expect(api.open).toBe(0)
  })

  test('tells its window and what a reply used', async () => {
    const model = browserModel(fakeBrowserModel(['Hello.']))
    const events = await eventsOf(model.stream({ messages: [], tools: [] }, { signal: new AbortController().signal }))

    expect(model.contextWindow).toBe(6000)
    expect(events.at(-1)).toEqual({ type: 'finish', stopReason: 'endTurn', usage: { totalTokens: 42 } })
  })

  test('a Stop in the middle of an answer keeps what had come and closes the session', async () => {
    const api = fakeBrowserModel([undefined])
    const turn = createAgent({ model: browserModel(api) }).turn('Tell me a story.')
    for await (const event of turn.events()) {
      if (event.type === 'text-delta') turn.cancel()
    }
    const result = await turn.untilDone()

    expect(result.outcome.kind).toBe('cancelled')
    expect(result.text).toMatch(/^Once/)
    await expect.poll(() => api.open).toBe(0)
  })

  test.each([
    ['NotSupportedError', 'model-unreachable'],
    ['NotAllowedError', 'bad-option'],
    ['QuotaExceededError', 'context-too-long'],
    ['OperationError', 'model-failed'],
  ])('a browser that refuses with %s is told as %s', async (name, code) => {
    const api = fakeBrowserModel([], {
      onCreate: () => {
        throw new DOMException('no', name)
      },
    })
    const stream = browserModel(api).stream({ messages: [], tools: [] }, { signal: new AbortController().signal })
    await expect(eventsOf(stream)).rejects.toMatchObject({ code })
  })

  test('a browser without the API is told as one', async () => {
    const stream = browserModel(undefined).stream({ messages: [], tools: [] }, { signal: new AbortController().signal })
    await expect(eventsOf(stream)).rejects.toMatchObject({ code: 'model-unreachable' })
  })
})

describe('fetching the model of the browser', () => {
  test('a browser without the API says so', async () => {
    const download = createBrowserModelDownload(undefined)
    await download.check()
    expect(download.state.get()).toEqual({ kind: 'unavailable', reason: 'This browser has no model of its own.' })
  })

  test('the API alone does not make a model available', async () => {
    const download = createBrowserModelDownload({ ...fakeBrowserModel([]), availability: async () => 'unavailable' })
    await download.check()
    expect(download.state.get()).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('on this device'),
    })
  })

  test('a download goes from its share to ready', async () => {
    const seen: unknown[] = []
    const api = fakeBrowserModel([], {
      onCreate: (options) => {
        const monitor = new EventTarget()
        options?.monitor?.(monitor)
        for (const loaded of [0, 0.5, 1])
          monitor.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded }))
      },
    })
    const download = createBrowserModelDownload({ ...api, availability: async () => 'downloadable' })
    await download.check()
    download.state.subscribe(() => seen.push(download.state.get()))
    await download.download()

    expect(seen).toEqual([
      { kind: 'downloading' },
      { kind: 'downloading', share: 0 },
      { kind: 'downloading', share: 0.5 },
      { kind: 'downloading', share: 1 },
      { kind: 'available' },
    ])
    expect(api.open).toBe(0)
  })

  test('a download that fails says why', async () => {
    const api = fakeBrowserModel([], {
      onCreate: () => {
        throw new DOMException('There is not enough space.', 'OperationError')
      },
    })
    const download = createBrowserModelDownload(api)
    await download.download()
    expect(download.state.get()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('not enough space') })
  })
})

async function eventsOf(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}
