import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createAgent, type Message, type ModelEvent, tool } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { reply, user } from './compaction-setup.ts'
import { settled, watchPoints } from './matrix-points.ts'
import { playback, reply as streamed } from './matrix-world.ts'

const tick = (): ReturnType<typeof tool> => {
  let runs = 0
  const execute = (): string => {
    runs += 1
    return `run ${runs}`
  }
  return tool({ name: 'tick', description: 'Counts', effect: 'read', execute })
}

/** The points of the machine that each of `iterations` steps took. */
async function pointsPerStep(iterations: number): Promise<number[]> {
  const at: number[] = []
  const model = playback(() => at.push(watch.count))
  model.play([
    ...Array.from({ length: iterations }, () => streamed('', ['tick'], 'toolUse')),
    streamed('Done.', [], 'endTurn'),
  ])
  await settled()
  const watch = watchPoints()
  const { outcome } = await createAgent({ model, tools: [tick()], maxIterations: 300, clock: manualClock() })
    .turn('Go')
    .untilDone()
  watch.stop()
  expect(outcome.kind).toBe('completed')
  return at.slice(1).map((points, index) => points - (at[index] ?? 0))
}

test('the two hundredth iteration takes as many steps as the second', async () => {
  const steps = await pointsPerStep(199)
  const [, second = 0] = steps
  expect([steps.length, second > 0]).toEqual([199, true])
  expect(steps.slice(1, -1).filter((points) => points !== second)).toEqual([])
})

/** A talk of so many messages that counts how often its texts are looked at. */
function watchedTalk(length: number): { readonly messages: Message[]; readonly looks: () => number } {
  let looks = 0
  const messages = Array.from({ length }, (_message, index): Message => {
    const message = index % 2 === 0 ? user(`u${index}`) : reply(`a${index}`, `Answer ${index}`)
    const { content } = message
    return Object.defineProperty({ ...message }, 'content', {
      enumerable: true,
      get: () => {
        looks += 1
        return content
      },
    })
  })
  return { messages, looks: () => looks }
}

test('after ten thousand messages, an iteration looks at none of them', async () => {
  const { messages, looks } = watchedTalk(10_000)
  const at: number[] = []
  const model = playback(() => at.push(looks()))
  model.play([...Array.from({ length: 20 }, () => streamed('', ['tick'], 'toolUse')), streamed('Done.', [], 'endTurn')])
  const agent = createAgent({ model, tools: [tick()] })
  const { outcome } = await agent.turn([...messages, user('now', 'Go')]).untilDone()
  expect([outcome.kind, at.length]).toEqual(['completed', 21])
  // A few times to check it, to heal it, to know its call ids and its size: all that is over by the second call.
  expect(at[1]).toBeLessThan(10 * messages.length)
  expect(at.slice(2).filter((looked) => looked !== at[1])).toEqual([])
})

test('a hundred thousand deltas leave their text behind and nothing else', async () => {
  setFlagsFromString('--expose-gc')
  // Not part of the language: the flag above makes it.
  const collectGarbage = runInNewContext('gc') as () => void
  const deltas = 100_000
  const model = { provider: 'test', modelId: 'test', stream: () => manyDeltas(deltas) }
  let heard = 0
  const onEvent = ({ type }: { type: string }): void => {
    if (type === 'text-delta') heard += 1
  }
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const turn = createAgent({ model }).turn('Go', { onEvent })
  const { text } = await turn.untilDone()
  collectGarbage()
  const grown = process.memoryUsage().heapUsed - before
  expect([text.length, heard > 0]).toEqual([deltas * 10, true])
  // A string is at most two bytes a character; an event kept per delta would be ten times that.
  expect(grown).toBeLessThan(4 * text.length + 2_000_000)
})

async function* manyDeltas(count: number): AsyncGenerator<ModelEvent> {
  for (let index = 0; index < count; index += 1) yield { type: 'text-delta', id: '1', delta: `${index}`.padStart(10) }
  yield { type: 'finish', stopReason: 'endTurn' }
}
