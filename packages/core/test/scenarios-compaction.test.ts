import { autoCompaction, type CompactionOptions, createAgent, type Message, type TurnEvent } from '@turnloop/core'
import { type ScriptStep, scriptedModel } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { isSummaryRequest, summaryShape } from './compacted-setup.ts'
import { reply, user } from './compaction-setup.ts'
import { collect, echo, say } from './loop-setup.ts'
import { warnings } from './turn-setup.ts'

const filler = 'words and words '.repeat(60)
const talk: readonly Message[] = Array.from({ length: 10 }, (_turn, index) => [
  user(`u${index}`),
  reply(`a${index}`, `Answer ${index} ${filler}`),
]).flat()

/** Ask at the end of that talk; what became of it. */
async function ask(compaction: CompactionOptions, options: { told?: ScriptStep; maxOutputTokens?: number } = {}) {
  const { told = 'Goals: talk.', maxOutputTokens } = options
  const model = scriptedModel((request) => (isSummaryRequest(request) ? told : 'Sure.'))
  const settings = maxOutputTokens === undefined ? {} : { maxOutputTokens }
  const agent = createAgent({ model, compaction: autoCompaction(compaction), settings, retry: { attempts: 1 } })
  const turn = agent.turn([...talk, user('now', 'And now?')])
  const events: TurnEvent[] = await collect(turn.events())
  return { model, events, result: await turn.untilDone(), summaries: model.requests.filter(isSummaryRequest) }
}

/** Estimated tokens of that talk and its question. */
const used = await (async () => {
  let tokens = 0
  const when = ({ usedTokens }: { usedTokens: number }): boolean => {
    tokens = usedTokens
    return false
  }
  await ask({ when })
  return tokens
})()

describe('a conversation is compacted', () => {
  test.each([
    [0.85, 1],
    [0.5, 1],
  ])('from a threshold of %d of the window on, not below', async (threshold, summaries) => {
    const window = Math.floor(used / threshold)
    expect((await ask({ window, threshold })).summaries).toHaveLength(summaries)
    expect((await ask({ window: window + 10, threshold })).summaries).toHaveLength(0)
  })

  test('from 0.85 of the window on, unless told otherwise', async () => {
    expect((await ask({ window: Math.floor(used / 0.85) })).summaries).toHaveLength(1)
    expect((await ask({ window: Math.floor(used / 0.85) + 10 })).summaries).toHaveLength(0)
  })

  test('earlier by what is kept free for the answer', async () => {
    const window = Math.floor(used / 0.85) + 1000
    expect((await ask({ window })).summaries).toHaveLength(0)
    expect((await ask({ window, reserve: 850 })).summaries).toHaveLength(1)
    expect((await ask({ window }, { maxOutputTokens: 850 })).summaries).toHaveLength(1)
  })

  test('never where no window is known', async () => {
    expect((await ask({})).summaries).toHaveLength(0)
  })

  test('by another model, with instructions of its own', async () => {
    const writer = scriptedModel(['Goals: talk.'], { modelId: 'writer' })
    const { summaries, result, model } = await ask({ window: used, model: writer, prompt: 'Summarise in Czech.' })
    expect([summaries.length, writer.requests.length, result.outcome.kind]).toEqual([0, 1, 'completed'])
    expect(writer.requests[0]?.instructions).toContain('Summarise in Czech.')
    expect(summaryShape(model.requests[0])[0]).toBe('summary')
  })
})

test('a failed compaction is one event and one warning, and the loop goes on unchanged', async () => {
  const { events, result, model } = await ask({ window: used }, { told: { text: '', stopReason: 'endTurn' } })
  expect(events.filter(({ type }) => type === 'compaction-failed')).toHaveLength(1)
  expect([warnings(events).length, result.outcome.kind]).toEqual([1, 'completed'])
  expect(model.requests.at(-1)?.messages).toHaveLength(21)
})

test('a steered or second question of the turn stays word for word', async () => {
  const model = scriptedModel((request, index) => {
    if (isSummaryRequest(request)) return 'Goals: talk.'
    return index < 6 ? { calls: [say(`${index} ${filler.repeat(3)}`)] } : 'Done.'
  })
  const agent = createAgent({ model, tools: [echo], compaction: autoCompaction({ window: 6000 }) })
  const { outcome } = await agent.turn('Do all of this, and keep to the rule R7').untilDone()
  const shapes = model.requests.filter((request) => !isSummaryRequest(request)).map(summaryShape)
  expect([outcome.kind, model.requests.some(isSummaryRequest)]).toEqual(['completed', true])
  for (const shape of shapes) expect(shape).toContain('user: Do all of this, and keep to the rule R7')
})

test('the log keeps what a compaction hid', async () => {
  const { events, model } = await ask({ window: used })
  const overlay = events.find((event) => event.type === 'overlay')
  expect(overlay).toMatchObject({ by: 'compaction', critical: true })
  expect(model.requests.at(-1)?.messages.length).toBeLessThan(talk.length)
})
