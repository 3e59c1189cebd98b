import type { Entry } from '@turnloop/core'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { faultsOfHooked } from './hooks-faults.ts'
import { type HookedTurnPlan, hookedTurn } from './hooks-random.ts'
import { type Played, playHooked } from './hooks-world.ts'
import { watchRejections } from './matrix-points.ts'

const rejections = watchRejections()
const count = { turns: 0, crashes: 0 }
/** For a longer look: HOOK_RUNS=2000 npx vitest run --project matrix hooks-properties --testTimeout=600000 */
const numRuns = Number(process.env.HOOK_RUNS ?? 150)

/** Play a turn, and say what is wrong with it. */
async function look(plan: HookedTurnPlan, cut?: readonly Entry[]): Promise<{ played: Played; faults: string[] }> {
  const before = rejections.seen.length
  const played = await playHooked(plan, cut)
  const unhandled = rejections.seen.slice(before).map((reason) => `nobody hears of ${reason}`)
  return { played, faults: [...faultsOfHooked(played), ...unhandled] }
}

test('whatever hooks do in a turn, it ends once, true to its log', async () => {
  await fc.assert(
    fc.asyncProperty(hookedTurn, async (plan) => {
      count.turns += 1
      expect((await look(plan)).faults).toEqual([])
    }),
    { numRuns: 4 * numRuns, timeout: 10_000 },
  )
})

test('cut at any entry, a turn with hooks ends once, and nothing unsafe runs again', async () => {
  await fc.assert(
    fc.asyncProperty(hookedTurn, async (plan) => {
      const { entries } = await playHooked(plan)
      const end = entries.findIndex(({ type }) => type === 'turn-ended')
      for (let length = 1; length <= end; length += 1) {
        count.crashes += 1
        const { faults } = await look(plan, entries.slice(0, length))
        expect(faults.map((fault) => `${length} of ${end}: ${fault}`)).toEqual([])
      }
    }),
    { numRuns, timeout: 30_000 },
  )
})

afterAll(() => {
  rejections.stop()
  console.log(`hooks: ${count.turns} turns, ${count.crashes} crashes`)
})
