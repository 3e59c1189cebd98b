import { isTurnloopError, type Tool, type ToolEffect, tool } from '@turnloop/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ChannelWorker } from './channel-worker.ts'
import { type Workplace, workplace } from './workplace.ts'

const EFFECTS: readonly ToolEffect[] = ['read', 'idempotent', 'unsafe']

/** One call: what its tool does when it runs, and whether the page gives it up. */
interface Plan {
  readonly effect: ToolEffect
  readonly does: 'return' | 'wait' | 'throw' | 'crash' | 'block' | 'deaf' | 'stream'
  readonly aborted: boolean
}

const plan: fc.Arbitrary<Plan> = fc.record({
  effect: fc.constantFrom(...EFFECTS),
  does: fc.constantFrom('return', 'return', 'wait', 'throw', 'crash', 'block', 'deaf', 'stream'),
  aborted: fc.boolean(),
})

type End = { readonly value: unknown } | { readonly error: unknown }

/** Tools whose calls are numbered by their callId and do what was planned; `runs` counts how often each ran. */
function planned(plans: readonly Plan[], runs: number[]): (worker: () => ChannelWorker | undefined) => Tool[] {
  return (worker) =>
    EFFECTS.map((effect) =>
      tool({
        name: effect,
        description: 'Does as planned.',
        effect,
        timeoutMs: 300,
        async execute(_input, { callId }) {
          const n = Number(callId)
          runs[n] = (runs[n] ?? 0) + 1
          switch (plans[n]?.does) {
            case 'wait':
              await new Promise((resolve) => setTimeout(resolve))
              return n
            case 'throw':
              throw new RangeError('as planned')
            case 'crash':
              worker()?.emit('error', { message: 'boom' })
              return new Promise(() => {})
            case 'block':
              worker()?.block()
              return new Promise(() => {})
            case 'deaf':
              return new Promise(() => {})
            case 'stream':
              return (async function* () {
                yield n
              })()
            default:
              return n
          }
        },
      }),
    )
}

async function endOf(call: Promise<unknown>): Promise<End> {
  try {
    const value = await call
    if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return { value }
    let last: unknown
    // Having the method is what makes an iterable.
    for await (const chunk of value as AsyncIterable<unknown>) last = chunk
    return { value: last }
  } catch (error) {
    return { error }
  }
}

/** Let time pass until every call has settled. */
async function settle(place: Workplace, calls: readonly Promise<End>[]): Promise<End[]> {
  let ends: End[] | undefined
  const all = Promise.all(calls).then((settled) => {
    ends = settled
  })
  for (let n = 0; n < 500 && !ends; n += 1) {
    await new Promise((resolve) => setTimeout(resolve))
    await place.clock.advance(100)
  }
  if (!ends) throw new Error('a call did not settle')
  await all
  return ends
}

/** What is told of a call must be true of how often it ran. */
function check({ effect }: Plan, ran: number, end: End): void {
  expect(ran).toBeLessThanOrEqual(effect === 'unsafe' ? 1 : 2)
  if ('value' in end) expect(ran).toBeGreaterThan(0)
  else if (isTurnloopError(end.error)) {
    if (end.error.message.includes('was not run')) expect(ran).toBe(0)
    if (effect === 'read') expect(end.error.facts.outcomeUnknown).toBeUndefined()
    else if (end.error.name === 'WorkerError' && ran > 0) expect(end.error.facts.outcomeUnknown).toBe(true)
  } else if (end.error === 'given up' && effect === 'unsafe') expect(ran).toBe(0)
}

it('every call settles, none unsafe runs twice, and what is told of each is true', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
      async (plans, size, callsPerWorker) => {
        const runs: number[] = []
        const place = await workplace(planned(plans, runs), { size, callsPerWorker, graceMs: 50 })
        const ends = plans.map(({ effect, aborted }, n) => {
          const controller = new AbortController()
          if (aborted) setTimeout(() => controller.abort('given up'), n % 4)
          return endOf(place.run(effect, { callId: String(n), signal: controller.signal }))
        })
        const settled = await settle(place, ends)
        plans.forEach((each, n) => {
          check(each, runs[n] ?? 0, settled[n] ?? { error: undefined })
        })
        await place.source.dispose()
        expect({ alive: place.alive, timers: place.clock.pending }).toEqual({ alive: 0, timers: 0 })
      },
    ),
    { numRuns: 40 },
  )
})
