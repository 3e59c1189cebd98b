import {
  type Entry,
  MemoryStore,
  type ModelRequest,
  type SendOptions,
  type Session,
  type TurnResult,
} from '@turnloop/core'
import { assertHistory, memoryTabs, type ScriptStep } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectTool, logFaults, type Page } from './session-setup.ts'
import { openTab, type Tab } from './tabs-setup.ts'

/** One thing that happens to a tab. */
interface Move {
  readonly tab: number
  readonly what: keyof typeof MOVES
  readonly ticks: number
  readonly pick: number
  readonly ms: number
}

/** A browser that outlives every page: one disk, and tools with effects. `delays` says how late messages come. */
function createWorld(delays: readonly number[]) {
  let delivered = 0
  const schedule = async (task: () => void): Promise<void> => {
    delivered += 1
    for (let tick = delays[delivered % delays.length] ?? 0; tick > 0; tick -= 1) await Promise.resolve()
    task()
  }
  const disk = new MemoryStore()
  const browser = memoryTabs({ disk, schedule })
  const [pay, look, ask] = [effectTool('pay', 'unsafe'), effectTool('look', 'read'), effectTool('ask', 'unsafe')]
  const models: Page['model'][] = []
  const open = (): Tab => {
    const needsApproval = { ...ask.tool, needsApproval: () => true }
    const tools = [pay.tool, look.tool, needsApproval]
    const page = openTab(browser, script, { tools, toolExecution: 'sequential' })
    models.push(page.model)
    return page
  }
  const sent: { readonly page: Tab; readonly settled: Promise<unknown> }[] = []
  return { disk, pay, ask, models, open, sent, frozen: new Set<Tab>(), tabs: [open(), open(), open()] }
}

type World = ReturnType<typeof createWorld>

function script({ messages }: ModelRequest): ScriptStep {
  const last = messages.at(-1)
  if (last?.role === 'tool') return last.results.length === 3 ? { calls: [{ name: 'pay' }] } : 'Settled.'
  const question = JSON.stringify(last)
  if (question.includes('ask')) return { calls: [{ name: 'ask' }] }
  return question.includes('pay') ? { calls: [{ name: 'look' }, { name: 'pay' }, { name: 'look' }] } : 'Fine.'
}

const quiet = (promise: Promise<unknown>): void => void promise.catch(() => {})

function send(world: World, page: Tab, words: string, options: SendOptions = {}): void {
  const settled = page.session.send(words, options)
  quiet(settled)
  world.sent.push({ page, settled })
}

function decide(session: Session, pick: number): void {
  const { id } = session.getSnapshot().pending[0] ?? { id: '' }
  if (id !== '') quiet(pick % 2 === 0 ? session.approve(id) : session.deny(id, 'no'))
}

function edit({ session }: Tab, pick: number): void {
  const asked = session.getSnapshot().messages.filter(({ role }) => role === 'user')
  const message = asked[pick % Math.max(asked.length, 1)]
  if (message !== undefined) quiet(session.edit(message.id, pick % 2 === 0 ? 'hello' : 'pay'))
}

/** What can happen. */
const MOVES = {
  send: (world: World, page: Tab) => send(world, page, 'hello'),
  pay: (world: World, page: Tab) => send(world, page, 'pay'),
  ask: (world: World, page: Tab) => send(world, page, 'ask'),
  steer: (world: World, page: Tab) => send(world, page, 'hello', { whenBusy: 'steer' }),
  edit: (_world: World, page: Tab, { pick }: Move) => edit(page, pick),
  regenerate: (_world: World, { session }: Tab) => quiet(session.regenerate()),
  named: (_world: World, { session }: Tab, { pick }: Move) => quiet(session.send('pay', { turnId: `n${pick % 2}` })),
  decide: (_world: World, { session }: Tab, { pick }: Move) => decide(session, pick),
  cancel: (_world: World, { session }: Tab) => quiet(session.cancel()),
  rename: (_world: World, { session }: Tab, { pick }: Move) => quiet(session.rename(`${pick}`)),
  resume: (_world: World, { session }: Tab) => quiet(session.resume()),
  freeze: (_world: World, { tab }: Tab, { pick }: Move) => tab.freeze({ letsGo: pick % 3 === 0 }),
  thaw: (_world: World, { tab }: Tab) => tab.thaw(),
  leave: (_world: World, { session }: Tab) => quiet(session.close({ running: 'leave' })),
  close: (_world: World, { session }: Tab) => quiet(session.close()),
  crash: (_world: World, { tab }: Tab) => tab.crash(),
}

type What = keyof typeof MOVES

const GONE: readonly What[] = ['leave', 'close', 'crash']
/** What people do. */
const PEOPLE: readonly What[] = [
  ...(['send', 'pay', 'ask', 'decide', 'decide', 'cancel', 'rename', 'resume'] as const),
  ...(['steer', 'steer', 'edit'] as const),
]
/** What happens to pages. */
const FATE: readonly What[] = ['regenerate', 'freeze', 'freeze', 'thaw', 'thaw', ...GONE, 'named']

function worlds(whats: readonly What[]): [fc.Arbitrary<number[]>, fc.Arbitrary<Move[]>] {
  const ms = fc.constantFrom(0, 0, 0, 20, 3000, 6000, 40_000)
  const move = { tab: fc.nat(2), what: fc.constantFrom(...whats), ticks: fc.nat(60), pick: fc.nat(100), ms }
  const delays = fc.array(fc.nat(12), { minLength: 1, maxLength: 8 })
  return [delays, fc.array(fc.record(move), { minLength: 2, maxLength: 16 })]
}

/** A page that has just opened meets a driver, forgets what it knows beyond that one's start, and then has nobody to ask. */
const MET_TOO_LATE: [number[], Move[]] = [
  [0, 0, 6, 0, 6, 0, 8, 10],
  [
    { tab: 0, what: 'decide', ticks: 6, pick: 0, ms: 0 },
    { tab: 2, what: 'ask', ticks: 60, pick: 0, ms: 0 },
    { tab: 0, what: 'decide', ticks: 23, pick: 0, ms: 0 },
    { tab: 0, what: 'leave', ticks: 53, pick: 0, ms: 0 },
    { tab: 2, what: 'resume', ticks: 0, pick: 0, ms: 0 },
  ],
]

/** Stop is asked of a page that goes, and heard only when the next question runs. */
const STOPPED_TOO_LATE: [number[], Move[]] = [
  [0],
  [
    { tab: 0, what: 'send', ticks: 22, pick: 0, ms: 0 },
    { tab: 1, what: 'regenerate', ticks: 5, pick: 0, ms: 0 },
    { tab: 0, what: 'leave', ticks: 0, pick: 0, ms: 0 },
    { tab: 1, what: 'cancel', ticks: 0, pick: 0, ms: 0 },
    { tab: 0, what: 'send', ticks: 0, pick: 0, ms: 0 },
    { tab: 0, what: 'decide', ticks: 0, pick: 0, ms: 0 },
  ],
]

/** A page takes over, and what the driver before it says comes in that very moment. */
const SAID_BY_THE_OVERTAKEN: [number[], Move[]] = [
  [2],
  [
    { tab: 1, what: 'send', ticks: 20, pick: 0, ms: 0 },
    { tab: 0, what: 'freeze', ticks: 5, pick: 0, ms: 0 },
    { tab: 1, what: 'freeze', ticks: 18, pick: 0, ms: 0 },
  ],
]

/** A new answer waits for the old one to end, Stop comes in between, and another page asks something else. */
const STOPPED_WHILE_REPLACING: [number[], Move[]] = [
  [0],
  [
    { tab: 1, what: 'send', ticks: 21, pick: 0, ms: 0 },
    { tab: 1, what: 'regenerate', ticks: 5, pick: 0, ms: 0 },
    { tab: 0, what: 'cancel', ticks: 0, pick: 0, ms: 0 },
  ],
]

/** Asked for twice, the second new answer pauses for people, and the first one waits behind it. */
const REPLACED_TWICE: [number[], Move[]] = [
  [1, 0],
  [
    { tab: 1, what: 'ask', ticks: 0, pick: 0, ms: 0 },
    { tab: 2, what: 'leave', ticks: 21, pick: 0, ms: 0 },
    { tab: 1, what: 'regenerate', ticks: 0, pick: 0, ms: 0 },
    { tab: 1, what: 'regenerate', ticks: 0, pick: 0, ms: 0 },
  ],
]

async function play(world: World, given: readonly Move[]): Promise<void> {
  for (const move of given) {
    const page = world.tabs[move.tab]
    // A page that is frozen does nothing: it goes on, or it is gone.
    if (page === undefined || (world.frozen.has(page) && !['thaw', 'crash'].includes(move.what))) continue
    if (move.what === 'freeze') world.frozen.add(page)
    if (move.what === 'thaw') world.frozen.delete(page)
    MOVES[move.what](world, page, move)
    for (let turn = 0; turn < move.ticks; turn += 1) await Promise.resolve()
    if (GONE.includes(move.what)) world.tabs[move.tab] = world.open()
    else if (move.ms > 0 && !world.frozen.has(page)) await page.clock.advance(move.ms)
  }
}

/** All pages go on, and have time to come to rest. */
async function rest(world: World): Promise<void> {
  for (const { tab } of world.tabs) tab.thaw()
  for (let round = 0; round < 4; round += 1) for (const { clock } of world.tabs) await clock.advance(40_000)
}

/** What has to hold of a disk, whatever happened to the pages. */
async function checkDisk({ disk, pay, ask, models }: World): Promise<readonly Entry[]> {
  const stored = await disk.read('s')
  expect(logFaults(stored)).toEqual([])
  for (const { runs } of [pay, ask]) expect(new Set(runs).size).toBe(runs.length)
  const settled = stored.flatMap((entry) =>
    entry.type === 'tool-settled' && ['not-run', 'denied', 'cancelled'].includes(entry.status) ? [entry.callId] : [],
  )
  expect(settled.filter((callId) => pay.runs.includes(callId) || ask.runs.includes(callId))).toEqual([])
  expect(models.flatMap(({ violations }) => violations)).toEqual([])
  return stored
}

/** From now on somebody says no to whatever is asked. */
function denyAll({ session }: Tab): void {
  const deny = (): void => {
    for (const { id } of session.getSnapshot().pending) quiet(session.deny(id))
  }
  session.subscribe(deny)
  deny()
}

/** The answer to one more question. A driver that died without a word is found out when its time to answer is over. */
async function answered(world: World, session: Session): Promise<TurnResult> {
  let result: TurnResult | undefined
  const sent = session.send('last').then((given) => {
    result = given
    return given
  })
  for (let look = 0; look < 20 && result === undefined; look += 1)
    for (const { clock } of world.tabs) await clock.advance(look < 10 ? 0 : 1000)
  return result ?? sent
}

/** Every page shows what is stored, nobody drives, and each answers. */
async function checkPages(world: World): Promise<void> {
  for (const page of world.tabs) denyAll(page)
  for (const { session } of world.tabs) {
    const result = await answered(world, session)
    expect([result.outcome.kind, result.text]).toEqual(['completed', 'Fine.'])
    assertHistory(result.messages)
  }
  // What waited behind a question that nobody decided has been asked by now.
  const isOver = await Promise.all(
    world.sent
      .filter(({ page }) => world.tabs.includes(page))
      .map(({ settled }) => Promise.race([settled.then(() => true), new Promise((pass) => setTimeout(pass, 500))])),
  )
  expect(isOver.filter((over) => over !== true)).toEqual([])
  await rest(world)
  const stored = await checkDisk(world)
  for (const { session } of world.tabs) {
    expect(session.getEntries()).toEqual(stored)
    const { status, role, storage, queue } = session.getSnapshot()
    expect([status, role, storage, queue]).toEqual(['idle', 'driver', { state: 'ready', waiting: 0 }, []])
  }
}

test('whatever people do in three tabs, they share one conversation', async () => {
  await fc.assert(
    fc.asyncProperty(...worlds(PEOPLE), async (delays, given) => {
      const world = createWorld(delays)
      await play(world, given)
      await rest(world)
      await checkPages(world)
      const asked = world.models.flatMap(({ requests }) => requests.map(({ messages }) => messages.at(-1)))
      const questions = asked.flatMap((message) => (message?.role === 'user' ? [message.id] : []))
      expect(new Set(questions).size).toBe(questions.length)
    }),
    { numRuns: 300, timeout: 20_000, interruptAfterTimeLimit: 50_000, markInterruptAsFailure: false },
  )
})

test('whatever becomes of pages, the others go on, and nothing is paid twice', async () => {
  await fc.assert(
    fc.asyncProperty(...worlds([...PEOPLE, ...FATE]), async (delays, given) => {
      const world = createWorld(delays)
      await play(world, given)
      await rest(world)
      await checkPages(world)
    }),
    {
      examples: [MET_TOO_LATE, STOPPED_TOO_LATE, SAID_BY_THE_OVERTAKEN, STOPPED_WHILE_REPLACING, REPLACED_TWICE],
      numRuns: 300,
      timeout: 20_000,
      interruptAfterTimeLimit: 50_000,
      markInterruptAsFailure: false,
    },
  )
})
