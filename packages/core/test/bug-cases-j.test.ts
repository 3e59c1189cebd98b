import {
  autoCompaction,
  createAgent,
  type Message,
  type ModelRequest,
  messageText,
  reconcileHistory,
  type UserPart,
} from '@turnloop/core'
import { type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { isSummaryRequest, summaryShape } from './compacted-setup.ts'
import { batch, picture, reply, user } from './compaction-setup.ts'
import { collect, echo, outline, say } from './loop-setup.ts'
import { openPage, type PageOptions } from './session-setup.ts'

const SUMMARY = 'Goals: help. Done: all of it.'
const filler = 'words and words '.repeat(60)

/** A page whose model writes summaries when asked for one, and answers otherwise as told. */
function page(
  answer: (request: ModelRequest, index: number) => ScriptStep,
  options: PageOptions & { told?: ScriptStep; window?: number } = {},
) {
  const { told = SUMMARY, window = 100_000, ...rest } = options
  let index = 0
  const opened = openPage((request) => (isSummaryRequest(request) ? told : answer(request, index++)), {
    compaction: autoCompaction({ window }),
    ...rest,
  })
  const asked = (): readonly ModelRequest[] => opened.model.requests.filter((request) => !isSummaryRequest(request))
  const summaries = (): readonly ModelRequest[] => opened.model.requests.filter(isSummaryRequest)
  return { ...opened, asked, summaries }
}

describe('J1: a cut between a call and its results', () => {
  const told: Message[] = [user('u1'), ...batch('a1', 2), user('u2'), reply('a2', `Done. ${filler}`)]

  /** What the model is sent when a strategy of the caller's own keeps these places of `told` and the question. */
  async function keeping(...places: readonly number[]): Promise<readonly Message[]> {
    const model = scriptedModel(['Fine.'], { contextWindow: 1000 })
    const run = ({ messages }: { messages: readonly Message[] }): Message[] =>
      [...places, told.length].flatMap((place) => messages[place] ?? [])
    const turn = createAgent({ model, compaction: autoCompaction({ when: () => true, run }) }).turn([
      ...told,
      user('now', 'And now?'),
    ])
    for (const event of await collect(turn.events()))
      if (event.type === 'overlay') expect(reconcileHistory(event.shows).report).toEqual([])
    return model.requests[0]?.messages ?? []
  }

  test.each<[string, readonly number[], string[]]>([
    [
      'after the call',
      [0, 2, 3, 4],
      ['user: Question u1?', 'user: Question u2?', `assistant: Done. ${filler}`, 'user: And now?'],
    ],
    ['after the results', [3, 4], ['user: Question u2?', `assistant: Done. ${filler}`, 'user: And now?']],
    [
      'before the results',
      [0, 1, 3],
      ['user: Question u1?', 'assistant: ', 'tool: unknown, unknown', 'user: Question u2?', 'user: And now?'],
    ],
  ])('by a strategy of the caller, %s, sends pairs only', async (_where, places, lines) => {
    expect(outline(await keeping(...places))).toEqual(lines)
  })

  test('is not made by the summary of a long turn with parallel calls', async () => {
    const both = { calls: [say(filler), say(filler)] }
    const { session, model, summaries, asked } = page((_request, index) => (index < 12 ? both : 'Done.'), {
      tools: [echo],
      window: 4000,
      repeatLimit: 0,
    })
    expect((await session.send('Work')).outcome.kind).toBe('completed')
    expect([summaries().length > 1, model.violations]).toEqual([true, []])
    for (const { messages } of asked())
      expect(messages.find(({ role }) => role !== 'user')?.role ?? 'assistant').toBe('assistant')
  })

  test('J1: control: a history of texts alone is cut where it fits', async () => {
    const { session, summaries } = page((_request, index) => `Reply ${index} ${filler}`)
    for (let turn = 0; turn < 6; turn += 1) await session.send(`Question ${turn}`)
    const { kept, hidden } = await session.compact()
    expect([summaries().length, kept + hidden]).toEqual([1, 12])
    expect(session.getSnapshot().messages).toHaveLength(kept + 1)
  })

  test('J1: control: a strategy that cuts exactly on a border is left as it is', async () => {
    expect((await keeping(0, 1, 2, 3, 4)).map(({ id }) => id)).toEqual(['u1', 'a1', 'a1r', 'u2', 'a2', 'now'])
    expect((await keeping(3, 4)).map(({ id }) => id)).toEqual(['u2', 'a2', 'now'])
  })
})

test('J3: a compacted session sends instructions and tools as before, and a marked summary', async () => {
  const { session, asked } = page((_request, index) => `Odpověď ${index} ${filler}`, {
    instructions: 'answer in Czech',
    tools: [echo],
  })
  for (let turn = 0; turn < 20; turn += 1) await session.send(`Question ${turn}`)
  await session.compact()
  await session.send('And now?')
  const [before, after] = [asked()[0], asked().at(-1)]
  expect([after?.instructions, after?.tools]).toEqual(['answer in Czech', before?.tools])
  expect(after?.messages[0]).toMatchObject({ role: 'user', synthetic: 'summary' })
  expect(after?.messages.filter((message) => message.role === 'user' && message.synthetic === 'summary')).toHaveLength(
    1,
  )
})

describe('J4: a window that its fixed part nearly fills', () => {
  const instructions = 'rule '.repeat(5600)

  test('ends one turn with the numbers, without any summary', async () => {
    const { session, summaries, asked } = page(() => 'Sure.', { instructions, window: 8000, told: '' })
    const { outcome } = await session.send('Hello '.repeat(2000))
    expect(outcome).toMatchObject({ kind: 'context-full', windowTokens: 8000 })
    expect(outcome.kind === 'context-full' && outcome.usedTokens > 8000).toBe(true)
    expect([summaries().length, asked().length]).toEqual([0, 0])
  })

  test.each<[string, ScriptStep]>([
    ['empty', { text: '', stopReason: 'endTurn' }],
    ['longer than its source', filler.repeat(60)],
  ])('is tried once per user input where the summary is %s, not once per step', async (_what, told) => {
    const { session, summaries } = page(
      (_request, index) =>
        index % 3 < 2 ? { calls: [say(`${index}`)] } : `Done. ${index < 6 ? filler.repeat(8) : ''}`,
      { tools: [echo], instructions, window: 12_000, told, retry: { attempts: 1 } },
    )
    for (const tries of [0, 0, 1, 1, 1]) {
      const before = summaries().length
      expect((await session.send('Next')).outcome.kind).toBe('completed')
      expect(summaries().length - before).toBe(tries)
    }
  })
})

describe('J5: compacting in the middle of a turn', () => {
  const current = 'now fix row 7, do not delete rows'

  async function compacted() {
    const opened = page(
      (_request, index) =>
        index < 20
          ? `Poem ${index} ${filler}`
          : index < 23
            ? { calls: [say(`row ${index} ${index === 20 ? filler.repeat(12) : ''}`)] }
            : 'Fixed.',
      {
        tools: [echo],
        window: 12_000,
      },
    )
    await opened.session.send('make a poem')
    for (let turn = 1; turn < 20; turn += 1) await opened.session.send(`make poem ${turn}`)
    const result = await opened.session.send(current)
    return { ...opened, result }
  }

  test('keeps the current request word for word, behind the summary and before its step', async () => {
    const { result, asked, summaries } = await compacted()
    expect([result.outcome.kind, result.text, summaries().length]).toEqual(['completed', 'Fixed.', 1])
    const shape = summaryShape(asked()[21])
    expect(shape.slice(-3)).toEqual([`user: ${current}`, 'assistant: ', 'tool: ok'])
    expect(shape[0]).toBe('summary')
  })

  test('sends no older request again, and invents none', async () => {
    const { asked } = await compacted()
    const users = (asked().at(-1)?.messages ?? []).filter((message) => message.role === 'user')
    expect(
      users
        .filter(({ synthetic }) => synthetic === undefined)
        .map(messageText)
        .at(-1),
    ).toBe(current)
    expect(users.map(messageText)).not.toContain('make a poem')
    expect(users.filter(({ synthetic }) => synthetic !== undefined).map(({ synthetic }) => synthetic)).toEqual([
      'summary',
    ])
  })

  test('asks for the summary with the old requests as material, not as questions', async () => {
    const { summaries } = await compacted()
    const [request] = summaries()
    expect([request?.messages.length, request?.tools]).toEqual([1, []])
    expect(outline(request?.messages ?? [])[0]).toContain('make a poem')
    expect(outline(request?.messages ?? [])[0]).not.toContain(current)
  })
})

describe('J7: compacting again', () => {
  test('three times in a row leaves one summary and never more messages', async () => {
    const { session, asked } = page((_request, index) => `Reply ${index} ${filler}`)
    for (let turn = 0; turn < 6; turn += 1) await session.send(`Question ${turn}`)
    const sizes = [session.getSnapshot().messages.length]
    for (let time = 0; time < 3; time += 1) {
      await session.compact()
      sizes.push(session.getSnapshot().messages.length)
    }
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
    await session.send('And now?')
    expect(summaryShape(asked().at(-1)).filter((line) => line === 'summary')).toHaveLength(1)
  })

  test('does not happen because of usage from before the last time', async () => {
    const usage = { inputTokens: 95_000, outputTokens: 10 }
    const { session, summaries } = page((_request, index) => ({
      text: `Reply ${index} ${filler}`,
      usage: index === 6 ? usage : { inputTokens: 500, outputTokens: 10 },
    }))
    for (let turn = 0; turn < 7; turn += 1) await session.send(`Question ${turn}`)
    await session.compact()
    await session.send('And now?')
    await session.send('And then?')
    expect(summaries()).toHaveLength(1)
  })
})

test('J8: a picture at the front goes with the rest, as a caption, and the border moves on', async () => {
  const parts: UserPart[] = [
    ...picture('map').content.filter((part) => part.type !== 'text'),
    { type: 'text', text: 'Where is this?' },
  ]
  const { session, summaries } = page((_request, index) => `Reply ${index} ${filler}`)
  const talk = async (turns: number): Promise<number> => {
    for (let turn = 0; turn < turns; turn += 1) await session.send(`Question ${turn}`)
    await session.compact()
    return session.getEntries().filter(({ type }) => type === 'overlay').length
  }
  await session.send('Hello')
  await session.send(parts)
  const hiddenTo: number[] = []
  for (const overlays of [1, 2]) {
    expect(await talk(12)).toBe(overlays)
    const overlay = session.getEntries().findLast((entry) => entry.type === 'overlay')
    hiddenTo.push(Math.max(...(overlay?.type === 'overlay' ? overlay.hides.map(([, to]) => to) : [0])))
  }
  expect(hiddenTo[1]).toBeGreaterThan(hiddenTo[0] ?? 0)
  expect(JSON.stringify(session.getSnapshot().messages)).not.toContain('base64')
  expect(outline(summaries()[0]?.messages ?? [])[0]).toMatch(/map\.png/)
})
