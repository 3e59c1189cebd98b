import { createAgent, createMemoryLog, ToolRunner } from '@turnloop/core'
import { manualClock } from '@turnloop/testing'
import { expect, test } from 'vitest'
import { settled, type Watch, watchPoints } from './matrix-points.ts'
import { type Deeds, deedTool, obedient, playback, reply, slowInstructions, sourceOf, steady } from './matrix-world.ts'

/** A stay of the machine in one of its parts: how many points had passed when it went in, and when it came back. */
interface Stay {
  readonly part: string
  readonly from: number
  to: number | undefined
}

/** A three-tool turn that writes down its stays; a watch must be running when it is. */
function probedTurn(stays: Stay[], watch: () => Watch): ToolRunner {
  const probe = async <T>(part: string, call: () => T | Promise<T>): Promise<T> => {
    const stay: Stay = { part, from: watch().count, to: undefined }
    stays.push(stay)
    const value = await call()
    stay.to = watch().count
    return value
  }
  const deeds: Deeds = { did: new Map(), runs: new Map() }
  const tools = [
    deedTool('quick', 'read', deeds, () => probe('quick', () => 'done')),
    deedTool('slow', 'unsafe', deeds, (context) => probe('slow', () => obedient(context))),
    deedTool('third', 'unsafe', deeds, () => probe('third', steady)),
  ]
  const model = playback()
  model.play([reply('Three.', ['quick', 'slow', 'third'], 'toolUse'), reply('Done.', [], 'endTurn')])
  const clock = manualClock()
  const agent = createAgent({ model, clock, tools: [sourceOf(tools)], instructions: slowInstructions })
  const parts = agent.parts(createMemoryLog(clock))
  return new ToolRunner(
    {
      ...parts,
      append: (...drafts) => {
        const appended = parts.append(...drafts)
        return { ...appended, saved: probe(`save ${drafts.at(-1)?.type}`, () => appended.saved) }
      },
      callModel: (request, options) => probe('callModel', () => parts.callModel(request, options)),
      listTools: (options) => probe('listTools', () => parts.listTools(options)),
      runTools: (asking, options) => probe('runTools', () => parts.runTools(asking, options)),
      instructions: (context) => probe('instructions', () => parts.instructions?.(context)),
    },
    'Go',
  )
}

test('what happens at a point comes just before what waits there', async () => {
  const order: string[] = []
  await settled()
  const watch = watchPoints(2, () => order.push('act'))
  const work = async (): Promise<void> => {
    order.push('first')
    await null
    order.push('second')
    await null
    order.push('third')
  }
  await work()
  watch.stop()
  expect(order).toEqual(['first', 'second', 'act', 'third'])
})

test('every round of the microtask queue holds a point of the machine', async () => {
  await settled()
  const watch = watchPoints()
  let isOver = false
  const runner = probedTurn([], () => watch)
  runner.untilDone().then(() => {
    isOver = true
  })
  const perRound: number[] = []
  for (let before = watch.count; !isOver; ) {
    await null
    // This loop's own going on is a point as well.
    perRound.push(watch.count - before - 1)
    before = watch.count
  }
  watch.stop()
  expect(perRound.length).toBeGreaterThan(50)
  expect(perRound.filter((points) => points < 1)).toEqual([])
})

test('points lie before, inside and after every part', async () => {
  await settled()
  const watch = watchPoints()
  const stays: Stay[] = []
  const { outcome } = await probedTurn(stays, () => watch).untilDone()
  watch.stop()
  expect(outcome.kind).toBe('completed')
  const parts = new Set(stays.map(({ part }) => part.split(' ')[0]))
  expect([...parts].sort()).toEqual(
    ['callModel', 'instructions', 'listTools', 'quick', 'runTools', 'save', 'slow', 'third'].sort(),
  )
  for (const { part, from, to } of stays) {
    expect([part, to !== undefined && to > from]).toEqual([part, true])
    expect([part, to !== undefined && to < watch.count]).toEqual([part, true])
  }
})
