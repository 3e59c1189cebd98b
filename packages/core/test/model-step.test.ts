import { clientCalls, type LiveEvent, type Model, type ModelEvent, messageText } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { ask, call, finish, fold, mark, parts, text, thought } from './model-setup.ts'
import { isDeepFrozen, streamOf } from './turn-setup.ts'

describe('folding', () => {
  test('parts that grow in turns stay apart, in the order they began', async () => {
    const content = await parts([
      { type: 'reasoning-start', id: 'r' },
      { type: 'text-start', id: 't' },
      ...[text('t', 'He'), thought('r', 'Hm'), text('t', 'llo'), thought('r', 'm.')],
      { type: 'text-end', id: 't' },
      { type: 'reasoning-end', id: 'r' },
    ])
    expect(content).toEqual([
      { type: 'reasoning', text: 'Hmm.' },
      { type: 'text', text: 'Hello' },
    ])
  })

  test('an id used again after its end makes a new part', async () => {
    const one: ModelEvent[] = [{ type: 'text-start', id: 't' }, text('t', 'one'), { type: 'text-end', id: 't' }]
    const two: ModelEvent[] = [{ type: 'text-start', id: 't' }, text('t', 'two'), { type: 'text-end', id: 't' }]
    expect(await parts([...one, ...two])).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
  })

  test('text and reasoning of one id do not mix', async () => {
    expect(await parts([text('0', 'Said'), thought('0', 'Thought')])).toEqual([
      { type: 'text', text: 'Said' },
      { type: 'reasoning', text: 'Thought' },
    ])
  })

  test('a delta without a start opens its part', async () => {
    expect(await parts([text('t', 'Hello'), text('t', '!')])).toEqual([{ type: 'text', text: 'Hello!' }])
  })

  test('deltas without any id belong together', async () => {
    // Providers leave the id out although the type says that it is there.
    const bare = ['a', 'b'].map((delta) => ({ type: 'text-delta', delta }) as ModelEvent)
    expect(await parts(bare)).toEqual([{ type: 'text', text: 'ab' }])
  })

  test('an end without a start is nothing', async () => {
    expect(await parts([{ type: 'text-end', id: 't' }, text('u', 'Hello')])).toEqual([{ type: 'text', text: 'Hello' }])
  })

  test('empty text is left out, unless it carries metadata', async () => {
    const content = await parts([
      { type: 'text-start', id: 'a' },
      { type: 'text-end', id: 'a' },
      { type: 'text-start', id: 'b' },
      { type: 'text-end', id: 'b', providerMetadata: mark('kept') },
    ])
    expect(content).toEqual([{ type: 'text', text: '', providerMetadata: mark('kept') }])
  })

  test.each([
    [['start'], 'start'],
    [['start', 'delta'], 'delta'],
    [['start', 'delta', 'end'], 'end'],
    [['delta'], 'delta'],
    [['start', 'end'], 'end'],
  ])('of metadata on %j the one on the %s wins', async (on, winner) => {
    const at = (place: string) => (on.includes(place) ? { providerMetadata: mark(place) } : {})
    const content = await parts([
      { type: 'reasoning-start', id: 'r', ...at('start') },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.', ...at('delta') },
      { type: 'reasoning-end', id: 'r', ...at('end') },
    ])
    expect(content).toEqual([{ type: 'reasoning', text: 'Hm.', providerMetadata: mark(winner) }])
  })

  test('sources, files and custom parts stand where they came', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' } as const
    const file = { type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' } } as const
    const custom = { type: 'custom', kind: 'note', providerMetadata: mark('c') } as const
    const content = await parts([text('t', 'Look:'), source, file, custom, text('u', 'Done.')])
    expect(content.map(({ type }) => type)).toEqual(['text', 'source', 'file', 'custom', 'text'])
    expect(content.slice(1, 4)).toEqual([source, file, custom])
  })

  test('a kind of event that is not known is left out', async () => {
    const unknown = { type: 'telepathy', id: 'x' } as unknown as ModelEvent
    expect(await parts([unknown, text('t', 'Hello')])).toEqual([{ type: 'text', text: 'Hello' }])
  })

  test('the message carries what started and finish say', async () => {
    const message = await fold([{ type: 'started', modelId: 'real-model' }, text('t', 'Hi')], {
      type: 'finish',
      stopReason: 'stopSequence',
      rawStopReason: 'stop_sequence',
      usage: { outputTokens: 3 },
      providerMetadata: mark('reply'),
    })
    expect(message).toMatchObject({
      ...{ id: 'm', modelId: 'real-model', stopReason: 'stopSequence', rawStopReason: 'stop_sequence' },
      ...{ usage: { outputTokens: 3 }, providerMetadata: mark('reply') },
    })
    expect(message.partial).toBeUndefined()
  })

  test('everything in the content is frozen, metadata and results too', async () => {
    const message = await fold([
      { ...text('t', 'Hi'), providerMetadata: { test: { deep: { list: [1] } } } } as ModelEvent,
      { type: 'file', mediaType: 'image/png', data: { base64: 'AAAA' } },
      call('c', 'search'),
      { type: 'provider-result', id: 'c', toolName: 'search', result: { hits: [{ title: 'x' }] } },
    ])
    expect(message.content.map(isDeepFrozen)).toEqual([true, true, true, true])
  })

  test('a warning is told, not kept', async () => {
    const { reply, emitted } = ask(streamOf([{ type: 'warning', message: 'topK is ignored' }, text('t', 'Hi'), finish]))
    expect((await reply).message.content).toHaveLength(1)
    expect(emitted[0]).toEqual({ type: 'warning', message: 'topK is ignored' })
  })
})

describe('calls', () => {
  const start = (id: string, toolName: string): ModelEvent => ({ type: 'tool-input-start', id, toolName })
  const input = (id: string, delta: string): ModelEvent => ({ type: 'tool-input-delta', id, delta })

  test('the whole text of a call replaces its deltas', async () => {
    const content = await parts([start('c', 'sum'), input('c', '{"a":'), call('c', 'sum', '{"a":1}')])
    expect(content).toEqual([
      { type: 'tool-call', callId: 'ours-1', wireId: 'c', toolName: 'sum', inputText: '{"a":1}' },
    ])
  })

  test('deltas alone make no call', async () => {
    const message = await fold([start('c', 'sum'), input('c', '{"a":1}'), { type: 'tool-input-end', id: 'c' }])
    expect([clientCalls(message), message.stopReason]).toEqual([[], 'endTurn'])
  })

  test('a call that the output limit cut is kept, to be answered', async () => {
    const events = [start('c', 'save'), input('c', '{"path":'), input('c', '"no')]
    const message = await fold(events, { type: 'finish', stopReason: 'maxTokens' })
    expect(clientCalls(message).map(({ inputText }) => inputText)).toEqual(['{"path":"no'])
    expect(message.stopReason).toBe('maxTokens')
  })

  test.each([['K'], ['']])('parallel calls under the one id %j are two, in order', async (id) => {
    const content = await parts([start(id, 'geo'), start(id, 'geo'), call(id, 'geo', '"a"'), call(id, 'geo', '"b"')])
    expect(content.map((part) => (part.type === 'tool-call' ? [part.callId, part.inputText] : []))).toEqual([
      ['ours-1', '"a"'],
      ['ours-2', '"b"'],
    ])
  })

  test("deltas name the call's own id and place", async () => {
    const { reply, emitted } = ask(
      streamOf([text('t', 'Hm'), start('c', 'sum'), input('c', '{}'), call('c', 'sum'), finish]),
    )
    await reply
    expect(emitted.slice(1)).toEqual([
      { type: 'tool-input-delta', messageId: 'm', partIndex: 1, callId: 'ours-1', toolName: 'sum', delta: '' },
      { type: 'tool-input-delta', messageId: 'm', partIndex: 1, callId: 'ours-1', toolName: 'sum', delta: '{}' },
    ])
  })

  test('a call that the provider runs asks for no tools', async () => {
    const search = { ...call('s', 'web_search'), providerExecuted: true } as ModelEvent
    const result: ModelEvent = { type: 'provider-result', id: 's', toolName: 'web_search', result: ['hit'] }
    const message = await fold([search, result, text('t', 'Found.')])
    expect([clientCalls(message), message.stopReason]).toEqual([[], 'endTurn'])
    expect(message.content[1]).toMatchObject({ callId: 'ours-1', wireId: 's', result: ['hit'] })
  })

  test('a call begun as the provider’s stays the provider’s', async () => {
    const begun = { ...start('s', 'web_search'), providerExecuted: true } as ModelEvent
    expect(clientCalls(await fold([begun, call('s', 'web_search')]))).toEqual([])
  })

  test("a finish that asks for tools is kept by the provider's own call", async () => {
    const search = { ...call('s', 'web_search'), providerExecuted: true } as ModelEvent
    const message = await fold([search], { type: 'finish', stopReason: 'toolUse' })
    expect([message.stopReason, message.missingCall]).toEqual(['other', undefined])
  })

  test('a result may answer a call of an earlier reply', async () => {
    const result: ModelEvent = { type: 'provider-result', id: 'old', toolName: 'fetch', result: 'page', isError: true }
    const { message } = await ask(streamOf([result, text('t', 'Read.'), finish]), { known: ['old'] }).reply
    expect(message.content[0]).toMatchObject({ callId: 'earlier-old', wireId: 'old', isError: true })
  })

  test('an approval names the call it is about', async () => {
    const ask = { ...call('s', 'buy'), providerExecuted: true } as ModelEvent
    const content = await parts([ask, { type: 'provider-approval', approvalId: 'a', id: 's' }])
    expect(content[1]).toEqual({ type: 'provider-approval', id: 'a', callId: 'ours-1' })
  })
})

describe('errors', () => {
  test('after an error part more is kept, and no call is run', async () => {
    const model = streamOf([
      text('t', 'Half'),
      { type: 'error', error: 'overloaded' },
      text('t', '.'),
      call('c', 'sum'),
      finish,
    ])
    const { message, error } = await ask(model).reply
    expect([messageText(message), message.stopReason, message.partial]).toEqual(['Half.', 'error', true])
    expect(error).toMatchObject({ code: 'model-failed', message: 'overloaded' })
  })

  test('of two error parts the first is told', async () => {
    const model = streamOf([{ type: 'error', error: 'first' }, { type: 'error', error: 'second' }, finish])
    expect((await ask(model).reply).error?.message).toBe('first')
  })

  test('a stream that ends without a finish is cut', async () => {
    const { message, error } = await ask(streamOf([text('t', 'Half')])).reply
    expect([messageText(message), message.partial, error?.code]).toEqual(['Half', true, 'stream-cut'])
  })

  test('what a stream throws comes back beside what had arrived', async () => {
    const { message, error } = await ask(streamOf([text('t', 'Half')], { throws: new Error('down') })).reply
    expect([messageText(message), error]).toMatchObject(['Half', { code: 'model-failed', message: 'down' }])
  })

  test('a model that throws at once is an error, not an exception', async () => {
    const model: Model = {
      ...streamOf([]),
      stream: () => {
        throw new TypeError('no such option')
      },
    }
    expect((await ask(model).reply).error?.message).toBe('no such option')
  })

  test('an event that is none ends the reading and the connection', async () => {
    const model = streamOf([text('t', 'Half'), null as unknown as ModelEvent, text('t', '!'), finish])
    const { message, error } = await ask(model).reply
    expect([messageText(message), error?.code, model.left]).toEqual(['Half', 'model-failed', 1])
  })

  test.each(['cancelled', 'timeout'] as const)('a provider that says %s has broken off', async (stopReason) => {
    const message = await fold([text('t', 'Half'), call('c', 'sum')], { type: 'finish', stopReason })
    expect(message.stopReason).toBe(stopReason)
  })
})

test('every emitted delta adds up to the text of its part', async () => {
  const { reply, emitted } = ask(
    streamOf([thought('r', 'a'), text('t', 'b'), thought('r', 'c'), text('t', 'd'), finish]),
  )
  const { message } = await reply
  const grown: string[] = []
  for (const body of emitted) {
    if ('partIndex' in body) grown[body.partIndex] = (grown[body.partIndex] ?? '') + body.delta
  }
  expect(grown).toEqual(message.content.map((part) => ('text' in part ? part.text : '')))
  expect(emitted satisfies Partial<LiveEvent>[]).toHaveLength(4)
})
