import { expect, test } from './durable-test.ts'
import type { Death } from './kill.ts'
import { KillRunner } from './kill-runner.ts'
import { random } from './random.ts'

const DEATHS: readonly Death[] = ['closed', 'crashed', 'left']
/** One more than the turn makes: a kill after its end is a kill too. */
const WRITES = 11
const RANDOM_KILLS = 16
const SEED = Number(process.env.SEED ?? 20_261_130)

const runner = new KillRunner('kill matrix')
test.afterAll(() => console.log(runner.summary))

for (const death of DEATHS) {
  test(`F12: a turn goes on from either side of any write, its page ${death}`, async ({ browsing, site }) => {
    test.setTimeout(180_000)
    for (let write = 1; write <= WRITES; write += 1) {
      for (const side of ['before', 'after'] as const) {
        const opening = { toolExecution: 'sequential' } as const
        await runner.run({ opening, death, when: { write, side } }, { browsing, site })
      }
    }
    expect(runner.takeFaults()).toEqual([])
  })

  test(`F12: a turn goes on from the middle of any tool, its page ${death}`, async ({ browsing, site }) => {
    test.setTimeout(180_000)
    for (const tool of ['look', 'book', 'pay']) {
      for (const toolExecution of ['sequential', 'parallel'] as const)
        await runner.run({ opening: { toolExecution }, death, when: { tool } }, { browsing, site })
    }
    expect(runner.takeFaults()).toEqual([])
  })

  test(`F12: a turn goes on from random instants, its page ${death}`, async ({ browsing, site }) => {
    test.setTimeout(180_000)
    const durationMs = await runner.timeTurn({ browsing, site })
    const next = random(SEED)
    for (let kills = 0; kills < RANDOM_KILLS; kills += 1) {
      const when = { afterMs: Math.round(next() * durationMs) }
      await runner.run({ opening: { toolExecution: 'parallel' }, death, when }, { browsing, site })
    }
    expect(runner.takeFaults()).toEqual([])
  })
}

test('a page that crashes is told nothing, one that is left is', async ({ browsing, site }) => {
  const told = []
  for (const death of ['crashed', 'left'] as const) {
    const before = site.world.farewells
    await runner.run({ opening: {}, death, when: { tool: 'pay' } }, { browsing, site })
    told.push(site.world.farewells - before)
  }
  expect([told, runner.takeFaults()]).toEqual([[0, 1], []])
})
