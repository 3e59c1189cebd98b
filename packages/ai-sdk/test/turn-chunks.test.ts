import { AgentTransport, fromUIMessages, toUIMessages } from '@turnloop/ai-sdk/ui'
import { createAgent, type ModelEvent, type Outcome, openSession, type Session, tool } from '@turnloop/core'
import { jsonSchema } from '@turnloop/core/json-schema'
import { manualClock, scriptedModel } from '@turnloop/testing'
import { readUIMessageStream, type UIMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { echo } from './support/chat.ts'

const finish = (stopReason: 'endTurn' | 'toolUse'): ModelEvent => ({ type: 'finish', stopReason })
const signed = { providerMetadata: { acme: { signature: 's' } } }

/** Ask once and read the stream as `ai` does, into a message. */
async function streamed(
  replies: readonly (readonly ModelEvent[])[],
): Promise<{ shown: UIMessage | undefined; session: Session }> {
  const model = scriptedModel(replies.map((events) => ({ events })))
  const session = openSession({ agent: createAgent({ model, tools: [echo()], clock: manualClock() }) })
  const transport = new AgentTransport({ session })
  const asked: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [asked],
    abortSignal: undefined,
  })
  let message: UIMessage | undefined
  for await (const next of readUIMessageStream({ stream, terminateOnError: true })) message = next
  return { shown: message, session }
}

/** The parts as plain data, without what only shows that they were streamed. */
function essence(message: UIMessage | undefined): unknown {
  const parts = (message?.parts ?? []).map((part) => {
    const { id: _id, preliminary: _preliminary, ...rest }: Record<string, unknown> = { ...part }
    return rest
  })
  return JSON.parse(JSON.stringify(parts))
}

/** Pieces of a reply: each the events of one part, to be shuffled into each other. */
function partEvents(index: number): fc.Arbitrary<ModelEvent[]> {
  const id = `p${index}`
  const delta = fc.constantFrom('a', 'bc ', '{')
  const text = (kind: 'text' | 'reasoning') =>
    fc
      .tuple(fc.array(delta, { maxLength: 3 }), fc.boolean())
      .map(([deltas, isSigned]): ModelEvent[] => [
        { type: `${kind}-start`, id },
        ...deltas.map((piece): ModelEvent => ({ type: `${kind}-delta`, id, delta: piece })),
        { type: `${kind}-end`, id, ...(isSigned && signed) },
      ])
  const input = fc.constantFrom('{}', '{"a": 1}', '{"b":[2]}')
  const call = fc
    .tuple(input, fc.boolean(), fc.boolean(), fc.boolean())
    .map(([inputText, isStreamed, ofProvider, dynamic]): ModelEvent[] => {
      const toolName = ofProvider ? 'search' : 'echo'
      const runs = ofProvider && { providerExecuted: true }
      return [
        ...(isStreamed
          ? ([
              { type: 'tool-input-start', id, toolName, ...runs },
              { type: 'tool-input-delta', id, delta: inputText },
              { type: 'tool-input-end', id },
            ] as const)
          : []),
        { type: 'tool-call', id, toolName, inputText, ...runs, ...(dynamic && { dynamic }), ...(dynamic && signed) },
        ...(ofProvider
          ? [{ type: 'provider-result', id, toolName, result: { found: 1 }, isError: dynamic, ...signed } as const]
          : []),
      ]
    })
  const piece: fc.Arbitrary<ModelEvent[]> = fc
    .constantFrom<ModelEvent>(
      { type: 'source', sourceType: 'url', id, url: 'https://example.org', title: 'T' },
      { type: 'file', mediaType: 'image/png', data: { base64: 'aGk=' } },
      { type: 'custom', kind: 'acme.note', ...signed },
    )
    .map((event) => [event])
  return fc.oneof(text('text'), text('reasoning'), call, piece)
}

/** The events of several parts, the order within each kept. */
function interleave(parts: ModelEvent[][], picks: readonly number[]): ModelEvent[] {
  const left = parts.map((events) => [...events])
  const mixed: ModelEvent[] = []
  for (const pick of picks) {
    const next = left[pick % Math.max(left.length, 1)]?.shift()
    if (next !== undefined) mixed.push(next)
  }
  return [...mixed, ...left.flat()]
}

const reply = fc
  .tuple(
    fc
      .integer({ min: 0, max: 4 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => partEvents(index)))),
    fc.array(fc.nat(7), { maxLength: 12 }),
  )
  .map(([parts, picks]) => interleave(parts, picks))

test('whatever a reply holds, the stream builds what the session keeps', async () => {
  await fc.assert(
    fc.asyncProperty(reply, async (events) => {
      const hasCalls = events.some((event) => event.type === 'tool-call' && !event.providerExecuted)
      const first: ModelEvent[] = [{ type: 'started' }, ...events, finish(hasCalls ? 'toolUse' : 'endTurn')]
      // One that says nothing is asked for once more.
      const second: ModelEvent[] = [
        { type: 'started' },
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: 'Done.' },
        { type: 'text-end', id: 't' },
        finish('endTurn'),
      ]

      const { shown, session } = await streamed([first, second])
      const snapshot = session.getSnapshot()
      const kept = toUIMessages(snapshot).at(-1)

      expect(essence(shown)).toEqual(essence(kept))
      expect(shown?.id).toBe(kept?.id)
      expect(shown?.metadata).toEqual(kept?.metadata)
      expect(fromUIMessages(shown ? [shown] : [])).toEqual(snapshot.messages.slice(1))
    }),
    { numRuns: 150 },
  )
})

/** The chunks that end a stream. */
async function lastChunks(outcome: Outcome['kind'], options: object = {}): Promise<object[]> {
  const endless = tool({
    name: 'echo',
    description: 'x',
    input: jsonSchema({ type: 'object' }),
    execute: () => Math.random(),
  })
  const model = scriptedModel(() => (outcome === 'timed-out' ? { hang: 'until-abort' } : { calls: [{ name: 'echo' }] }))
  const clock = manualClock()
  const session = openSession({ agent: createAgent({ model, tools: [endless], clock, ...options }) })
  const stream = await new AgentTransport({ session }).sendMessages({
    trigger: 'submit-message',
    chatId: 'chat',
    messageId: undefined,
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go' }] }],
    abortSignal: undefined,
  })
  const chunks: object[] = []
  const reader = stream.getReader()
  const read = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  }
  const reading = read()
  if (outcome === 'timed-out') await clock.advance(100)
  await reading
  expect(session.getSnapshot().outcome?.kind).toBe(outcome)
  return chunks.slice(-2)
}

test('a turn that reached its limit of iterations finishes with calls', async () => {
  expect(await lastChunks('max-iterations', { maxIterations: 2, repeatLimit: 9 })).toMatchObject([
    { type: 'message-metadata', messageMetadata: { outcome: { kind: 'max-iterations' } } },
    { type: 'finish', finishReason: 'tool-calls' },
  ])
})

test('a turn that ran out of time is an error that says so', async () => {
  const chunks = await lastChunks('timed-out', { timeouts: { turnMs: 50 }, graceMs: 0 })

  expect(chunks.at(-1)).toMatchObject({ type: 'error', errorText: expect.stringContaining('turnMs') })
})
