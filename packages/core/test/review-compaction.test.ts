import {
  autoCompaction,
  type CompactionOptions,
  createAgent,
  type Entry,
  type Message,
  ModelError,
  type ModelRequest,
  type ToolRunner,
  type Usage,
} from '@turnloop/core'
import { manualClock, type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { isSummaryRequest, summaryShape } from './compacted-setup.ts'
import { reply, user } from './compaction-setup.ts'
import { collect, echo, outline, say } from './loop-setup.ts'
import { kinds } from './session-setup.ts'
import { resumeTurn, startTurn, warnings } from './turn-setup.ts'

const SUMMARY = 'Goals: help. Done: all of it.'
const filler = 'words and words '.repeat(60)

/** So many questions with long answers; what the provider reported of the last one. */
function told(turns: number, usage?: Usage): Message[] {
  const messages = Array.from({ length: turns }, (_, turn) => [user(`u${turn}`), reply(`a${turn}`, filler)]).flat()
  const last = messages.pop()
  return last?.role === 'assistant' ? [...messages, { ...last, ...(usage && { usage }) }] : messages
}

/** A turn behind a conversation, its model and what happened. */
function ask(
  options: CompactionOptions,
  given: { history?: readonly Message[]; summary?: ScriptStep; answer?: (index: number) => ScriptStep } = {},
) {
  const { history = told(8), summary = SUMMARY, answer = () => 'Sure.' } = given
  let asked = 0
  const model = scriptedModel((request) => {
    if (isSummaryRequest(request)) return summary
    asked += 1
    return answer(asked - 1)
  })
  const agent = createAgent({
    model,
    clock: manualClock(),
    tools: [echo],
    retry: { attempts: 2, baseDelayMs: 0 },
    compaction: autoCompaction(options),
  })
  const turn = agent.turn([...history, user('now', 'And now?')])
  const requests = (): readonly ModelRequest[] => model.requests.filter((request) => !isSummaryRequest(request))
  return { turn, model, requests, summaries: () => model.requests.filter(isSummaryRequest).length }
}

/** The end of a turn and what it wrote of compactions. */
async function follow(turn: ToolRunner) {
  const events = await collect(turn.events())
  const seen = kinds(events as never).filter((kind) => kind === 'overlay' || kind.startsWith('compaction-'))
  return { events, seen, result: await turn.untilDone() }
}

describe('a strategy of the caller', () => {
  const always = { when: () => true }

  test.each<[string, (messages: readonly Message[]) => unknown]>([
    ['nothing', () => undefined],
    ['a text', () => 'short'],
    ['no message', () => []],
    ['numbers', () => [1, 2]],
    ['messages of another library', () => [{ role: 'system', content: 'Be brief.' }]],
    ['a message without an id', () => [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]],
    ['content that is no list', () => [{ id: 'x', createdAt: 0, role: 'user', content: 'Hi' }]],
    ['what no log can hold', () => [{ ...user('x'), callback: () => 1 }]],
    ['replies alone', (messages) => messages.filter(({ role }) => role === 'assistant')],
    ['a reply at its end', (messages) => messages.slice(0, 2)],
  ])('that gives %s changes nothing, and the turn goes on', async (_name, run) => {
    // Callers without types give anything.
    const strategy = ({ messages }: { messages: readonly Message[] }) => run(messages) as Message[]
    const { turn, requests } = ask({ ...always, run: strategy })
    const { seen, events, result } = await follow(turn)
    expect([seen, result.outcome.kind]).toEqual([['compaction-started', 'compaction-failed'], 'completed'])
    expect([warnings(events).length, requests()[0]?.messages.length]).toEqual([1, 17])
  })

  test('that cuts within an exchange keeps what begins with a question', async () => {
    const { turn, requests } = ask({ ...always, run: ({ messages }) => messages.slice(-4) })
    await turn.untilDone()
    expect(outline(requests()[0]?.messages ?? []).map((line) => line.slice(0, 20))).toEqual([
      'user: Question u7?',
      'assistant: words and',
      'user: And now?',
    ])
  })

  test('keeps its own objects: the log has copies', async () => {
    const own = user('own', 'My summary.')
    const { turn } = ask({ ...always, run: ({ messages }) => [own, ...messages.slice(-1)] })
    const { events } = await follow(turn)
    const overlay = events.find(({ type }) => type === 'overlay')
    expect(overlay).toMatchObject({ shows: [own], hides: [[-15, 0]] })
    expect(Object.isFrozen(own)).toBe(false)
  })

  test('may do as it likes with the list it is given', async () => {
    const run: CompactionOptions['run'] = ({ messages }) => {
      // It is read-only by its type alone.
      const list = messages as Message[]
      list.splice(0, list.length - 1)
      return list
    }
    const { turn, requests } = ask({ ...always, run })
    await turn.untilDone()
    expect(outline(requests()[0]?.messages ?? [])).toEqual(['user: And now?'])
  })

  test('whose rule throws is asked once in a turn', async () => {
    let asked = 0
    const when = (): never => {
      asked += 1
      throw new Error('no rule')
    }
    const { turn } = ask({ when }, { answer: (index) => (index < 3 ? { calls: [say(`${index}`)] } : 'Done.') })
    const { events, result } = await follow(turn)
    expect([asked, warnings(events).length, result.outcome.kind]).toEqual([1, 1, 'completed'])
  })
})

describe('what a provider reports', () => {
  const call = (usage: Usage) => (index: number) => (index === 0 ? { calls: [say('a')], usage } : 'Done.')

  test.each([1e12, Number.POSITIVE_INFINITY])(
    'of %d tokens does not fill a window that is nearly empty',
    async (inputTokens) => {
      const { turn, requests } = ask({ window: 20_000 }, { answer: call({ inputTokens }) })
      expect([(await turn.untilDone()).outcome.kind, requests().length]).toEqual(['completed', 2])
    },
  )

  test.each([Number.NaN, -5])('of %d tokens does not hide that the window is full', async (inputTokens) => {
    const { turn, summaries } = ask({ window: 1200 }, { history: told(5), answer: call({ inputTokens }) })
    await turn.untilDone()
    expect(summaries()).toBe(1)
  })

  test('of the turn before counts for the first call of this one', async () => {
    const { turn, summaries } = ask({ window: 5000 }, { history: told(8, { inputTokens: 4400, outputTokens: 100 }) })
    await turn.untilDone()
    expect(summaries()).toBe(1)
  })

  test('of the turn before alone never ends this one', async () => {
    const { turn, summaries } = ask({ window: 1500 }, { history: told(3, { inputTokens: 9000 }), summary: ' ' })
    expect([(await turn.untilDone()).outcome.kind, summaries()]).toEqual(['completed', 1])
  })

  test('never makes a summary pass that is longer than its source', async () => {
    const usage = { inputTokens: 3900, outputTokens: 10 }
    const { turn } = ask(
      { window: 4000 },
      { history: told(5, usage), summary: filler.repeat(4), answer: () => 'Sure.' },
    )
    expect((await follow(turn)).seen).toEqual(['compaction-started', 'compaction-failed'])
  })
})

test('what a first try of the summary cost counts too', async () => {
  let tries = 0
  const model = scriptedModel((request) => {
    if (!isSummaryRequest(request)) return { text: 'Sure.', usage: { inputTokens: 1 } }
    tries += 1
    const usage = { inputTokens: 100 }
    return tries === 1 ? { error: new ModelError('model-overloaded', 'Busy.'), usage } : { text: SUMMARY, usage }
  })
  const clock = manualClock()
  const agent = createAgent({ model, clock, compaction: autoCompaction({ window: 1500 }) })
  const done = agent.turn([...told(8), user('now')]).untilDone()
  await clock.advance(500)
  const { usage } = await done
  expect([tries, usage.inputTokens]).toEqual([2, 201])
})

test('a turn stopped while its window is full was stopped', async () => {
  const agent = createAgent({
    model: scriptedModel([]),
    clock: manualClock(),
    compaction: autoCompaction({
      window: 100,
      when: () => {
        turn.cancel()
        return true
      },
    }),
  })
  const turn: ToolRunner = agent.turn(filler)
  expect((await turn.untilDone()).outcome.kind).toBe('cancelled')
})

test.each([true, false])('cut anywhere, with history %s, it makes each summary once', async (history) => {
  const make = () => {
    const model = scriptedModel((request): ScriptStep => {
      if (isSummaryRequest(request)) return SUMMARY
      const step = Number(/step (\d)/.exec(JSON.stringify(request.messages.at(-1)))?.[1] ?? 0) + 1
      return step > 6 ? 'Done.' : { calls: [say(`step ${step} ${filler}`)] }
    })
    return createAgent({ model, clock: manualClock(), tools: [echo], compaction: autoCompaction({ window: 2500 }) })
  }
  const gist = ({ outcome, messages, usage }: Awaited<ReturnType<ToolRunner['untilDone']>>): unknown[] => [
    outcome,
    summaryShape({ messages, tools: [] }),
    usage,
  ]
  const facts = (entries: readonly Entry[]): string[] =>
    kinds(entries).filter((kind) => kind === 'message' || kind === 'overlay')
  const { turn, log } = startTurn(make(), 'Work', { history })
  const whole = gist(await turn.untilDone())
  expect(kinds(log.entries).filter((kind) => kind === 'overlay')).toHaveLength(1)
  for (let length = 2; length < log.entries.length; length += 1) {
    const again = resumeTurn(make(), log.entries.slice(0, length))
    expect(gist(await again.turn.untilDone())).toEqual(whole)
    expect(facts(again.log.entries)).toEqual(facts(log.entries))
  }
})
