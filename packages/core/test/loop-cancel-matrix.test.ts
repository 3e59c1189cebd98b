import { afterAll, expect, test } from 'vitest'
import { cut, type Door, type Scenario } from './matrix-cut.ts'
import { faultsOf, startedAfterStop } from './matrix-faults.ts'
import { watchRejections } from './matrix-points.ts'
import { answer, passthrough, peopleScenarios, scenarios, specialScenarios, three } from './matrix-scenarios.ts'

const rejections = watchRejections()
const count = { cells: 0, ends: 0 }

/** Cut a scenario at every point from one on; what went wrong, by point. */
async function cutEverywhere(scenario: Scenario, door: Door = 'signal', from = 0): Promise<string[]> {
  const whole = await cut(scenario, Number.POSITIVE_INFINITY, door)
  const faults = whole.model.requests.length < scenario.script.length ? ['the script was not played to its end'] : []
  const seen = new Set<string>()
  for (let nth = from; nth <= whole.points + 1; nth += 1) {
    const cell = await cut(scenario, nth, door)
    for (const fault of await faultsOf(cell, whole, seen)) faults.push(`${nth} of ${whole.points}: ${fault}`)
  }
  count.cells += whole.points + 2 - from
  count.ends += seen.size
  return faults
}

/** The point from which a scenario differs from the first one: all that comes before is one and the same run. */
async function firstOwnPoint(scenario: Scenario): Promise<number> {
  const [first] = scenarios
  if (first === undefined || scenario.name === first.name) return 0
  const { pointsAtRequest } = await cut({ ...scenario, script: first.script }, Number.POSITIVE_INFINITY)
  const whole = await cut(scenario, Number.POSITIVE_INFINITY)
  const [, second] = whole.pointsAtRequest
  return second !== undefined && second === pointsAtRequest[1] ? second : 0
}

for (const toolExecution of ['parallel', 'sequential'] as const) {
  test.each(scenarios)(`Stop at every point, tools ${toolExecution}, then $name`, async (given) => {
    const scenario = { ...given, options: { toolExecution } }
    expect(await cutEverywhere(scenario, 'signal', await firstOwnPoint(scenario))).toEqual([])
  })

  test(`no tool starts after Stop, tools ${toolExecution}`, async () => {
    const scenario: Scenario = { name: 'start', script: [three, answer], options: { toolExecution } }
    const whole = await cut(scenario, Number.POSITIVE_INFINITY)
    const late: number[] = []
    for (let nth = 0; nth <= whole.points; nth += 1) if (startedAfterStop(await cut(scenario, nth))) late.push(nth)
    expect(late).toEqual([])
  })

  test(`Stop at every point, tools ${toolExecution}, one of them deaf`, async () => {
    const scenario: Scenario = { name: 'deaf', script: [three], third: 'deaf', options: { toolExecution } }
    expect(await cutEverywhere(scenario)).toEqual([])
  })
}

test.each(specialScenarios)('Stop at every point of a turn with $name', async (scenario) => {
  expect(await cutEverywhere(scenario)).toEqual([])
})

test.each(peopleScenarios)('Stop at every point of a turn that is $name', async (scenario) => {
  expect(await cutEverywhere(scenario)).toEqual([])
})

// A Stop between the end of the batch and the answer made of it comes too late: the answer still joins the transcript.
test(`Stop at every point of a turn with ${passthrough.name}`, async () => {
  expect(await cutEverywhere(passthrough)).toEqual([])
})

const doors: readonly Door[] = ['cancel', 'leave events', 'leave messages', 'throw']

test.each(doors)('every point is as safe through the door "%s"', async (door) => {
  expect(await cutEverywhere({ name: 'doors', script: [three, answer] }, door)).toEqual([])
})

afterAll(() => {
  rejections.stop()
  console.log(`cancel matrix: ${count.cells} cells, ${count.ends} different ends`)
  expect(rejections.seen).toEqual([])
})
