import type { Page } from '@playwright/test'
import type { Ground } from './durable-test.ts'
import { begin, type Cell, killTurn, settle } from './killed-turn.ts'
import type { Opening } from './page/page-port.ts'
import { faultsOf, placeOf } from './verdict.ts'

/** Runs one killed turn after the other, each in the page that the one before was loaded again in, and counts. */
export class KillRunner {
  readonly #name: string
  readonly #places = new Map<string, number>()
  #page: Page | undefined
  #kills = 0
  #faulty = 0
  #faults: string[] = []

  constructor(name: string) {
    this.#name = name
  }

  /** Kill one turn, and note what is wrong with how it went on. */
  async run(
    { opening, ...cell }: Omit<Cell, 'opening'> & { opening: Omit<Opening, 'id'> },
    ground: Ground,
  ): Promise<void> {
    this.#kills += 1
    const id = `${this.#name} ${this.#kills}`
    const page = this.#page ?? (await ground.browsing.visit())
    this.#page = undefined
    const { survival, page: next } = await killTurn(page, { ...cell, opening: { ...opening, id } }, ground)
    this.#page = next
    const place = placeOf(survival)
    this.#places.set(place, (this.#places.get(place) ?? 0) + 1)
    const faults = [...faultsOf(survival), ...ground.browsing.complaints.splice(0)]
    if (faults.length > 0) this.#faulty += 1
    const what = JSON.stringify({ ...opening, ...cell })
    this.#faults.push(...faults.map((fault) => `${what}, killed ${place}: ${fault}`))
  }

  /** How long a turn takes here that nobody kills, in ms. */
  async timeTurn({ browsing }: Ground): Promise<number> {
    this.#page ??= await browsing.visit()
    const start = performance.now()
    const opening = { id: `${this.#name}, timed at ${start}`, toolExecution: 'parallel' } as const
    await begin(this.#page, opening)
    await settle(this.#page, opening.id)
    return performance.now() - start
  }

  /** What was wrong since this was last asked. */
  takeFaults(): string[] {
    return this.#faults.splice(0)
  }

  get summary(): string {
    const places = Array.from(this.#places, ([place, count]) => `${place} ${count}`)
    return `${this.#name}: ${this.#kills} kills, ${this.#faulty} with faults (${places.join(', ')})`
  }
}
