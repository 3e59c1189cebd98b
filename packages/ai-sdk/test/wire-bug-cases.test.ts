import { createAgent, type Message, type Tool, tool, UNKNOWN_TEXT } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { aiSdkModel } from '../src/ai-sdk-model.ts'
import { checked } from './support/agent-parts.ts'
import { user } from './support/conversation.ts'
import type { WireItem } from './support/wire-items.ts'
import { type WireReply, wireFetch, wireShapes } from './support/wire-shapes.ts'

const DONE: WireReply = { text: 'Done.' }

/** What a conversation says, without ids. */
function said(items: readonly WireItem[] | undefined): string[] | undefined {
  return items?.map(({ kind, text }) => `${kind}: ${text}`)
}

/** A result as every shape has it: Google wraps it in an object of its own. */
function results(items: readonly WireItem[] | undefined): string[] | undefined {
  return items?.filter(({ kind }) => kind === 'result').map(({ text }) => /\d+/.exec(text)?.[0] ?? text)
}

/** Each result right after its calls, by the id of its call. */
function expectPairs(items: readonly WireItem[]): void {
  const open: string[] = []
  for (const { id, kind } of items) {
    if (kind === 'call') open.push(id)
    else if (kind === 'result') expect(open.shift()).toBe(id)
    else expect(open).toEqual([])
  }
  expect(open).toEqual([])
}

describe.each(wireShapes)('$name', (shape) => {
  const hasIds = shape.name !== 'Google'

  function setUp(replies: readonly WireReply[], tools: readonly Tool[]) {
    const { conversations, fetch } = wireFetch(shape, replies)
    const agent = createAgent({ model: checked(aiSdkModel(shape.create(fetch))), tools, graceMs: 0 })
    return { agent, conversations }
  }

  test('A1: a call that Stop met is answered once, before the next question', async () => {
    const sheetSum = tool({
      name: 'sheetSum',
      description: 'Sums a column.',
      input: z.object({ col: z.string() }),
      execute: () => new Promise(() => {}),
    })
    const { agent, conversations } = setUp(
      [{ calls: [{ id: 'c1', name: 'sheetSum', input: '{"col":"B"}' }] }, DONE],
      [sheetSum],
    )
    const turn = agent.turn('sum column B')
    for await (const event of turn.events()) if (event.type === 'tool-started') turn.cancel('enough')
    const { messages } = await turn.untilDone()
    await agent.turn([...messages, user('and the mean?')]).untilDone()
    const asked = conversations[1] ?? []
    expect(said(asked)?.map((text) => (text.includes(UNKNOWN_TEXT) ? 'result: unknown' : text))).toEqual([
      'user: sum column B',
      'call: sheetSum',
      'result: unknown',
      'user: and the mean?',
    ])
    expectPairs(asked)
  })

  test('A3: one id for every call loses no result', async () => {
    const call = (n: number): WireReply => ({ calls: [{ id: 'K', name: 'ten', input: `{"n":${n}}` }] })
    const ten = tool({
      name: 'ten',
      description: 'Times ten.',
      input: z.object({ n: z.number() }),
      execute: ({ n }) => String(n * 10),
    })
    const { agent, conversations } = setUp([call(1), call(2), call(3), call(4), DONE], [ten])
    const { outcome } = await agent.turn('go').untilDone()
    expect(outcome.kind).toBe('completed')
    expect(results(conversations[4])).toEqual(['10', '20', '30', '40'])
    expectPairs(conversations[4] ?? [])
    const ids = conversations[4]?.flatMap(({ id, kind }) => (kind === 'call' ? [id] : []))
    if (hasIds) expect(new Set(ids).size).toBe(4)
  })

  test('A5: calls without ids keep apart, in later turns and after a reload too', async () => {
    const places = (a: string, b: string): WireReply => ({
      calls: [a, b].map((q) => ({ id: '', name: 'geo', input: JSON.stringify({ q }) })),
    })
    const codes: Record<string, string> = { Brno: '602', Linz: '4020', Graz: '8010', Enns: '4470' }
    const geo = tool({
      name: 'geo',
      description: 'Post code.',
      input: z.object({ q: z.string() }),
      execute: ({ q }) => codes[q],
    })
    const { agent, conversations } = setUp([places('Brno', 'Linz'), DONE, places('Graz', 'Enns'), DONE], [geo])
    const first = await agent.turn('go').untilDone()
    const second = await agent.turn([...first.messages, user('more')]).untilDone()
    // What a store gives back is never the same objects.
    const reloaded: Message[] = structuredClone([...second.messages])
    await agent.turn([...reloaded, user('thanks')]).untilDone()
    const asked = conversations[4] ?? []
    expect(results(asked)).toEqual(['602', '4020', '8010', '4470'])
    expectPairs(asked)
    expect(asked.slice(0, conversations[3]?.length)).toEqual(conversations[3])
    const ids = asked.flatMap(({ id, kind }) => (kind === 'call' ? [id] : []))
    if (hasIds) expect(new Set(ids).size).toBe(4)
    if (hasIds) expect(ids).not.toContain('')
  })

  // The Responses protocol has no finish word for a reply that came whole.
  test
    .runIf(shape.name !== 'OpenAI responses')
    .each(
      shape.name === 'Google'
        ? ['STOP', 'OTHER']
        : shape.name === 'Anthropic'
          ? ['end_turn', 'new_word']
          : ['stop', 'new_word'],
    )('C2: calls are run although the reply ended with %s', async (finish) => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ n: z.number() }),
      execute: ({ n }) => String(n),
    })
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: 'look', input: `{"n":${n}}` }))
    const { agent, conversations } = setUp([{ text: 'Looking that up.', calls, finish }, DONE], [look])
    const { messages, outcome } = await agent.turn('go').untilDone()
    expect(outcome.kind).toBe('completed')
    expect(results(conversations[1])).toEqual(['1', '2'])
    expect(messages[1]).toMatchObject({ stopReason: 'toolUse', rawStopReason: finish })
  })

  test('C8: an answer with nothing in it is asked for once more and is no success', async () => {
    const { agent, conversations } = setUp([{}], [])
    const { outcome } = await agent.turn('go').untilDone()
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'empty-reply' } })
    expect(conversations).toHaveLength(2)
  })
})

test('C8: a call that Gemini could not write is told with its reason and not asked for again', async () => {
  const [, , , google] = wireShapes
  if (google === undefined) throw new Error('No Google.')
  let requests = 0
  const finishMessage = 'Malformed function call: print(look(n=1)).'
  const fetch: typeof globalThis.fetch = async () => {
    requests += 1
    const candidate = { content: { parts: [], role: 'model' }, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }
    return new Response(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`)
  }
  const model = aiSdkModel(google.create(fetch))
  const { outcome, messages } = await createAgent({ model, retry: { attempts: 5 } })
    .turn('go')
    .untilDone()
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'model-failed' } })
  expect(JSON.stringify(outcome)).toMatch(/MALFORMED_FUNCTION_CALL.*print\(look\(n=1\)\)/)
  expect(requests).toBe(1)
  expect(messages).toHaveLength(1)
})
