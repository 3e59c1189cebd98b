import { messageText, type Session, type TurnResult } from '@turnloop/core'
import { indexedDbStore } from '@turnloop/indexeddb'
import { assertHistory } from '@turnloop/testing'
import { describe, expect, test } from 'vitest'
import { DATABASE } from './tab-agent.ts'
import {
  type Counter,
  countRequests,
  growing,
  hasPlace,
  openTab,
  PLACES,
  type Place,
  type Tab,
  until,
  untilStored,
} from './tab-window.ts'

const ROUNDS = 30

interface OpenTab {
  readonly tab: Tab
  readonly session: Session
}

/** Three tabs of one session, and all that was said in them. */
class World {
  readonly #place: Place
  readonly #random: () => number
  readonly word: string = crypto.randomUUID().slice(0, 8)
  readonly counter: Counter = countRequests(this.word)
  readonly open: OpenTab[] = []
  readonly sent: string[] = []
  /** What tabs that are still there wait for. */
  readonly results: { readonly sender: Session; readonly question: string; readonly result: Promise<TurnResult> }[] = []
  /** Questions of which a driver may have been closed in the middle. */
  readonly cut = new Set<string>()
  closed = 0
  allowed = 0

  constructor(place: Place, seed: number) {
    this.#place = place
    this.#random = randomFrom(seed)
  }

  async addTab(): Promise<void> {
    const tab = await openTab(this.#place)
    const session = tab.open(this.word)
    await until(session, ({ status }) => status === 'idle')
    this.open.push({ tab, session })
  }

  /** The tabs in any order. */
  shuffled(): [OpenTab, OpenTab, OpenTab] {
    const [a, b, c] = this.open
      .map((tab) => ({ tab, key: this.#random() }))
      .sort((one, other) => one.key - other.key)
      .map(({ tab }) => tab)
    if (a === undefined || b === undefined || c === undefined) throw new Error('There are three tabs.')
    return [a, b, c]
  }

  pick<T>(list: readonly T[]): T {
    const found = list[Math.floor(this.#random() * list.length)]
    if (found === undefined) throw new Error('There is nothing to pick from.')
    return found
  }

  send({ session }: OpenTab, how: 'say' | 'hold' | 'pay'): string {
    const question = `${how} ${this.word} ${this.sent.length}.`
    this.sent.push(question)
    const result = session.send(question)
    result.catch(() => {})
    this.results.push({ sender: session, question, result })
    return question
  }

  async close({ tab, session }: OpenTab): Promise<void> {
    tab.close()
    this.closed += 1
    this.counter.forgive()
    this.open.splice(0, this.open.length, ...this.open.filter((other) => other.session !== session))
    const still = this.results.filter(({ sender }) => sender !== session)
    this.results.splice(0, this.results.length, ...still)
  }
}

/** What people do, each with what has to come of it. */
const ROUND_KINDS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async saysAtOnce(world) {
    for (const tab of world.shuffled().slice(0, world.pick([1, 2, 3]))) world.send(tab, 'say')
  },
  async stops(world) {
    const [a, b, c] = world.shuffled()
    world.send(a, 'hold')
    await until(b.session, (shown) => growing(shown) !== '')
    if (world.pick([true, false])) world.send(c, 'say')
    await b.session.cancel()
  },
  async pays(world) {
    const [a, b] = world.shuffled()
    world.send(a, 'pay')
    const { pending } = await until(b.session, ({ status }) => status === 'awaiting')
    const id = pending[0]?.id ?? ''
    const isAllowed = world.pick([true, false])
    if (isAllowed) world.allowed += 1
    await (isAllowed ? b.session.approve(id) : b.session.deny(id, 'no'))
  },
  async closesWhoAsked(world) {
    const [a, b, c] = world.shuffled()
    const question = world.send(a, 'hold')
    await until(b.session, (shown) => growing(shown) !== '')
    await untilStored(world.word, question)
    if (world.pick([true, false])) world.send(c, 'say')
    world.cut.add(question)
    await world.close(a)
    world.counter.openGate(question)
    await world.addTab()
  },
  async closesOne(world) {
    const [a, b] = world.shuffled()
    world.cut.add(world.send(b, 'say'))
    await world.close(a)
    await world.addTab()
  },
}

async function playRound(world: World, round: number): Promise<void> {
  const kinds = Object.values(ROUND_KINDS)
  // Each of them comes up, and then whatever.
  const play = kinds[round] ?? world.pick(kinds)
  const before = world.sent.length
  await play(world)
  // A tab that is closed sooner takes with it what was said in it.
  for (const question of world.sent.slice(before)) await untilStored(world.word, question)
  await Promise.all(world.open.map(({ session }) => until(session, ({ status }) => status === 'idle')))
}

/** A closed tab is heard of until its last message has come; what it asked belongs to it alone. */
function askedTwice({ counter, cut }: World): string[] {
  return counter.asked.filter((question, index) => counter.asked.indexOf(question) !== index && !cut.has(question))
}

async function checkAll(world: World): Promise<void> {
  const { word, counter, sent, results, open } = world
  const ends = await Promise.all(results.map(({ result }) => result))
  const kinds = new Set(ends.map(({ outcome }) => outcome.kind))
  expect([...kinds].filter((kind) => !['completed', 'cancelled', 'awaiting'].includes(kind))).toEqual([])
  const log = await indexedDbStore({ name: DATABASE }).read(word)
  const said = log.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'user' ? [entry.message] : [],
  )
  const texts = said.map(messageText)
  const lost = sent.filter((question) => !texts.includes(question))
  const why = results.map(({ question }, index) => ({ question, outcome: ends[index]?.outcome }))
  expect(why.filter(({ question }) => lost.includes(question))).toEqual([])
  expect(lost).toEqual([])
  expect(texts.length).toBe(sent.length)
  for (const { session } of open) {
    // A tab that was opened late has read the end of a long log alone.
    while (session.getSnapshot().hasEarlier) await session.loadEarlier(1000)
    await until(session, () => session.getEntries().length === log.length)
    expect(session.getEntries()).toEqual(log)
    assertHistory(session.getSnapshot().messages)
  }
  expect([askedTwice(world), counter.interleaved]).toEqual([[], []])
  expect([counter.paid.length, new Set(counter.paid).size]).toEqual([world.allowed, world.allowed])
}

describe.each(PLACES)('with the driver in a %s', (place) => {
  test.skipIf(!hasPlace(place))(
    'thirty rounds of what people do in three tabs lose nothing',
    async () => {
      const seed = Date.now() % 1e9
      const world = new World(place, seed)
      for (let count = 0; count < 3; count += 1) await world.addTab()
      for (let round = 0; round < ROUNDS; round += 1) await playRound(world, round)
      // What a Stop has held goes on with the next that is said.
      world.send(world.shuffled()[0], 'say')
      await checkAll(world)
      const { sent, counter, closed, allowed } = world
      const counts = `${sent.length} said, ${counter.asked.length} requests, ${allowed} calls paid, ${closed} tabs closed`
      console.log(`driver in a ${place}: ${ROUNDS} rounds, ${counts}, none lost (seed ${seed})`)
    },
    150_000,
  )
})

/** Mulberry32: numbers from 0 to 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
