import { afterAll, expect, test } from 'vitest'
import { faultsOfHookEvents } from './hooks-faults.ts'
import { type Cut, cut, type Scenario } from './matrix-cut.ts'
import { faultsOf, startedAfterStop } from './matrix-faults.ts'
import { hookScenarios } from './matrix-hooks.ts'
import { watchRejections } from './matrix-points.ts'

const rejections = watchRejections()
const count = { cells: 0, ends: 0 }

/** Cut a scenario at every point; what went wrong, by point. */
async function cutEverywhere(scenario: Scenario): Promise<string[]> {
  const whole = await cut(scenario, Number.POSITIVE_INFINITY)
  const faults = whole.model.requests.length < scenario.script.length ? ['the script was not played to its end'] : []
  const seen = new Set<string>()
  for (let nth = 0; nth <= whole.points + 1; nth += 1) {
    const cell = await cut(scenario, nth)
    const own = [...(await faultsOf(cell, whole, seen)), ...faultsOfHookEvents(cell)].filter(
      (fault) => !isWithheld(fault, cell),
    )
    if (startedAfterStop(cell)) own.push('a tool started after Stop')
    for (const fault of own) faults.push(`${nth} of ${whole.points}: ${fault}`)
  }
  count.cells += whole.points + 2
  count.ends += seen.size
  return faults
}

/** What a tool brought and no check has passed is kept back, and the answer says that it ran. */
function isWithheld(fault: string, { entries }: Cut): boolean {
  const isTold = entries.some(
    (entry) => entry.type === 'tool-settled' && JSON.stringify(entry.result).includes('This call ran.'),
  )
  return isTold && fault.endsWith('returned and is told as error')
}

test.each(hookScenarios)('Stop at every point of a turn with $name', async (scenario) => {
  expect(await cutEverywhere(scenario)).toEqual([])
})

afterAll(() => {
  rejections.stop()
  console.log(`hooks cancel matrix: ${count.cells} cells, ${count.ends} different ends`)
  expect(rejections.seen).toEqual([])
})
