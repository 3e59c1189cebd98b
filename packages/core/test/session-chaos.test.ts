import { type Entry, MemoryStore, type ModelRequest } from '@turnloop/core'
import { assertHistory, type ScriptStep } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Behaviour,
  type FaultyStore,
  faultyStore,
  hang,
  hangAfter,
  loseAnswer,
  refuse,
  throwForeign,
} from './faulty-store.ts'
import { effectTool, logFaults, openPage, type Page } from './session-setup.ts'

const METHODS = ['append', 'append', 'append', 'claim', 'read', 'head'] as const
const FAULTS: readonly Behaviour[] = [
  refuse('quota-exceeded'),
  refuse('disconnected'),
  loseAnswer,
  throwForeign,
  hang,
  hangAfter,
]

interface Tab extends Page {
  readonly store: FaultyStore
}

/** One thing that happens: to a tab, or to its store. */
interface Move {
  readonly tab: number
  readonly what: keyof typeof MOVES
  readonly ticks: number
  readonly pick: number
  readonly ms: number
}

/** A world that outlives every page: one disk, and tools with effects. */
function createWorld() {
  const disk = new MemoryStore()
  const [pay, look] = [effectTool('pay', 'unsafe'), effectTool('look', 'read')]
  const models: Page['model'][] = []
  const open = (): Tab => {
    const store = faultyStore(disk)
    const page = openPage(script, { store, tools: [pay.tool, look.tool], toolExecution: 'sequential' })
    models.push(page.model)
    return { ...page, store }
  }
  const tabs = [open(), open(), open()]
  return { disk, pay, models, tabs, open }
}

type World = ReturnType<typeof createWorld>

function script({ messages }: ModelRequest): ScriptStep {
  const last = messages.at(-1)
  if (last?.role === 'tool') return last.results.length === 3 ? { calls: [{ name: 'pay' }] } : 'Settled.'
  const isPay = JSON.stringify(last).includes('pay')
  return isPay ? { calls: [{ name: 'look' }, { name: 'pay' }, { name: 'look' }] } : 'Fine.'
}

const quiet = (promise: Promise<unknown>): void => void promise.catch(() => {})

/** What can happen. */
const MOVES = {
  send: ({ session }: Tab) => quiet(session.send('hello')),
  pay: ({ session }: Tab) => quiet(session.send('pay')),
  steer: ({ session }: Tab) => quiet(session.send('hello', { whenBusy: 'steer' })),
  regenerate: ({ session }: Tab) => quiet(session.regenerate()),
  edit: ({ session }: Tab, { pick }: Move) =>
    quiet(session.edit(session.getSnapshot().messages[pick % 5]?.id ?? '', pick % 2 === 0 ? 'hello' : 'pay')),
  named: ({ session }: Tab, { pick }: Move) => quiet(session.send('pay', { turnId: `named ${pick % 2}` })),
  cancel: ({ session }: Tab) => quiet(session.cancel()),
  rename: ({ session }: Tab, { pick }: Move) => quiet(session.rename(`${pick}`)),
  note: ({ session }: Tab, { pick }: Move) => quiet(session.addNote(`note ${pick}`)),
  erase: ({ session }: Tab, { pick }: Move) => {
    const { messages } = session.getSnapshot()
    quiet(session.erase(messages[pick % Math.max(messages.length, 1)]?.id ?? 'none'))
  },
  shorten: ({ session }: Tab) => quiet(session.shorten()),
  saveNow: ({ session }: Tab) => session.saveNow(),
  resume: ({ session }: Tab) => quiet(session.resume()),
  flush: ({ session }: Tab) => quiet(session.flush()),
  mend: ({ store }: Tab) => store.mend(),
  breakOnce: ({ store }: Tab, { pick }: Move) => store.breakNext(method(pick), fault(pick)),
  breakDown: ({ store }: Tab, { pick }: Move) => store.break(method(pick), fault(pick)),
  leave: ({ session }: Tab) => quiet(session.close({ running: 'leave' })),
  crash: ({ store }: Tab) => {
    for (const name of METHODS) store.break(name, hang)
  },
}

function method(pick: number): (typeof METHODS)[number] {
  return METHODS[pick % METHODS.length] ?? 'append'
}

function fault(pick: number): Behaviour {
  return FAULTS[pick % FAULTS.length] ?? hang
}

type What = keyof typeof MOVES

/** What people do. */
const PEOPLE: readonly What[] = [
  ...(['send', 'pay', 'pay', 'named', 'cancel', 'rename', 'resume', 'flush', 'leave'] as const),
  ...(['note', 'erase', 'shorten', 'saveNow'] as const),
  ...(['steer', 'edit', 'regenerate'] as const),
]
/** What goes wrong. */
const TROUBLE: readonly What[] = ['breakOnce', 'breakOnce', 'breakDown', 'mend', 'crash']

function movesOf(whats: readonly What[], tabs: number): fc.Arbitrary<Move[]> {
  const ms = fc.constantFrom(0, 0, 0, 500, 3000, 8000)
  const move = { tab: fc.nat(tabs - 1), what: fc.constantFrom(...whats), ticks: fc.nat(40), pick: fc.nat(100), ms }
  return fc.array(fc.record(move), { minLength: 2, maxLength: 16 })
}

/** What steers a turn joins it in another page, and still waits in the one it was said in. */
const JOINED_ELSEWHERE: [Move[]] = [
  [
    { tab: 1, what: 'send', ticks: 0, pick: 0, ms: 0 },
    { tab: 0, what: 'send', ticks: 24, pick: 0, ms: 0 },
    { tab: 1, what: 'steer', ticks: 0, pick: 0, ms: 0 },
    { tab: 0, what: 'leave', ticks: 21, pick: 0, ms: 0 },
    { tab: 0, what: 'send', ticks: 0, pick: 0, ms: 0 },
    { tab: 0, what: 'send', ticks: 0, pick: 0, ms: 0 },
  ],
]

async function play(world: World, given: readonly Move[]): Promise<void> {
  for (const move of given) {
    const tab = world.tabs[move.tab]
    if (tab === undefined) continue
    MOVES[move.what](tab, move)
    for (let turn = 0; turn < move.ticks; turn += 1) await Promise.resolve()
    // A page that has gone has no clock any more; the one that comes after it has its own.
    if (move.what === 'leave' || move.what === 'crash') world.tabs[move.tab] = world.open()
    else if (move.ms > 0) await tab.clock.advance(move.ms)
  }
}

function paid(entries: readonly Entry[], ...statuses: string[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === 'tool-settled' && entry.toolName === 'pay' && statuses.includes(entry.status) ? [entry.callId] : [],
  )
}

/** What has to hold of a disk, whatever happened to it. */
async function checkDisk({ disk, pay, models }: World): Promise<Entry[]> {
  const stored = await disk.read('s')
  const { runs } = pay
  expect(logFaults(stored)).toEqual([])
  expect(new Set(runs).size).toBe(runs.length)
  expect(paid(stored, 'not-run', 'cancelled').filter((callId) => runs.includes(callId))).toEqual([])
  expect(paid(stored, 'ok').filter((callId) => !runs.includes(callId))).toEqual([])
  expect(models.flatMap(({ violations }) => violations)).toEqual([])
  return stored
}

/** A page answers, from a sound history. */
async function expectAnswer({ session }: Tab): Promise<void> {
  const result = await session.send('last')
  expect([result.outcome.kind, result.text]).toEqual(['completed', 'Fine.'])
  assertHistory(result.messages)
}

test('whatever three tabs do to one session, its log is sound and all end up with it', async () => {
  await fc.assert(
    fc.asyncProperty(movesOf(PEOPLE, 3), async (given) => {
      const world = createWorld()
      await play(world, given)
      for (const tab of world.tabs) await tab.clock.advance(10_000)
      for (const tab of world.tabs) await expectAnswer(tab)
      const stored = await checkDisk(world)
      expect(world.tabs.at(-1)?.session.getEntries()).toEqual(stored)
      expect(world.tabs.map(({ session }) => session.getSnapshot().status)).toEqual(['idle', 'idle', 'idle'])
    }),
    { examples: [JOINED_ELSEWHERE], numRuns: 150, timeout: 20_000 },
  )
})

test('whatever goes wrong with pages and their stores, nothing is paid twice', async () => {
  await fc.assert(
    fc.asyncProperty(movesOf([...PEOPLE, ...TROUBLE], 2), async (given) => {
      const world = createWorld()
      await play(world, given)
      for (const { store, clock } of world.tabs) {
        store.mend()
        await clock.advance(60_000)
      }
      await expectAnswer(world.open())
      await checkDisk(world)
    }),
    { numRuns: 250, timeout: 20_000 },
  )
})
