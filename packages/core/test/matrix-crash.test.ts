import type { MemoryStore } from '@turnloop/core'
import { afterAll, expect, test } from 'vitest'
import {
  callsInFlight,
  copyWorld,
  hasPeople,
  keyOf,
  type Life,
  live,
  newWorld,
  type World,
  type WorldKind,
  wholeText,
} from './matrix-crash.ts'
import { faultsOfLog } from './matrix-faults.ts'
import { watchRejections } from './matrix-points.ts'

const rejections = watchRejections()
const cells = { one: 0, two: 0, worlds: 0 }

const kinds: readonly WorldKind[] = ['parallel', 'sequential', 'with an agent', 'with people', 'with hooks']

/** Go on with a world in a new page until nothing goes on any more; what is wrong with it then. */
async function faultsOfLast(world: World, inFlight: readonly string[]): Promise<string[]> {
  const left = await world.disk.read('s')
  const wasQueued = ((await world.disk.head('s'))?.queue.length ?? 0) > 0
  const { session, refused } = await live(world, 0)
  const { status, messages } = session.getSnapshot()
  await session.flush()
  const log = await world.disk.read('s')
  const faults = [...refused, ...faultsOfEffects(world, log, inFlight)]
  if (status !== 'idle') faults.push(`it is ${status}`)
  if (left.some((entry, index) => JSON.stringify(entry) !== JSON.stringify(log[index])))
    faults.push('the past has changed')
  if (left.length === 0 && !wasQueued) {
    if (messages.length > 0) faults.push('a conversation out of nothing')
  } else {
    faults.push(...faultsOfLog(log), ...faultsOfText(world, session, inFlight))
  }
  const next = await session.send('Hello')
  if (next.outcome.kind !== 'completed' || next.text !== 'Hello again.')
    faults.push(`the next turn ${next.outcome.kind}`)
  return faults
}

function faultsOfText(world: World, session: Life['session'], inFlight: readonly string[]): string[] {
  const { messages, outcome } = session.getSnapshot()
  const faults = outcome?.kind === 'completed' ? [] : [`it ended ${outcome?.kind}`]
  const last = messages.at(-1)
  const text = last?.role === 'assistant' && last.content[0]?.type === 'text' ? last.content[0].text : ''
  if (inFlight.length === 0 && text !== wholeText(world)) faults.push(`it says ${text}`)
  if (text.replaceAll('pay unknown', 'pay ok') !== wholeText(world)) faults.push(`it says ${text}`)
  return faults
}

/** Each payment at most once, none forgotten; what was under way is in doubt, and nothing else is. */
function faultsOfEffects(
  { effects, kind }: World,
  log: Awaited<ReturnType<MemoryStore['read']>>,
  inFlight: readonly string[],
): string[] {
  const faults: string[] = []
  const paid = effects.filter(({ toolName }) => toolName === 'pay').map(({ callId }) => callId)
  if (new Set(paid).size !== paid.length) faults.push('paid twice')
  const answers = log.flatMap((entry) => (entry.type === 'tool-settled' ? [entry] : []))
  for (const callId of paid)
    if (!answers.some((answer) => answer.callId === callId)) faults.push('a payment is forgotten')
  const isRefused = (toolName: string): boolean => hasPeople({ kind }) && toolName === 'book'
  for (const { callId, toolName, status } of answers) {
    const did = effects.filter((effect) => effect.callId === callId)
    const isInDoubt = inFlight.includes(callId)
    const told = isRefused(toolName) ? 'denied' : 'ok'
    if (status !== (isInDoubt ? 'unknown' : told)) faults.push(`${toolName} is told as ${status}`)
    if (did.length === 0 && !isInDoubt && told === 'ok' && toolName !== 'help')
      faults.push(`${toolName} is told and was not done`)
    if (new Set(did.map(({ idempotencyKey }) => idempotencyKey)).size > 1) faults.push(`${toolName} changed its key`)
  }
  if (effects.some(({ toolName }) => isRefused(toolName))) faults.push('something was done that was not allowed')
  return faults
}

test.each(kinds)('uninterrupted, %s, a turn tells what it did', async (kind) => {
  const world = newWorld(kind)
  const { session, refused } = await live(world, Number.POSITIVE_INFINITY, 'Go')
  expect([session.getSnapshot().outcome?.kind, refused]).toEqual(['completed', []])
  expect(faultsOfText(world, session, [])).toEqual([])
})

interface Left {
  readonly world: World
  /** The point at which the page died. */
  readonly nth: number
}

/** The different worlds that a page can leave behind, over all points at which it can die. */
async function worldsLeft(kind: WorldKind): Promise<Left[]> {
  const { points } = await live(newWorld(kind), Number.POSITIVE_INFINITY, 'Go')
  const left = new Map<string, Left>()
  for (let nth = 1; nth <= points; nth += 1) {
    cells.one += 1
    const world = newWorld(kind)
    await live(world, nth, 'Go')
    left.set(await keyOf(world), { world, nth })
  }
  return [...left.values()]
}

/** Every how many points the second page dies: over the many worlds it comes to all of them. */
function strideOf(kind: WorldKind): number {
  return hasPeople({ kind }) || kind === 'with hooks' ? 48 : 16
}

test.each(kinds)('pages that die at any point, %s, lose nothing', async (kind) => {
  const faults: string[] = []
  const seen = new Set<string>()
  const stride = strideOf(kind)
  for (const { world, nth } of await worldsLeft(kind)) {
    const first = callsInFlight(await world.disk.read('s'))
    for (const fault of await faultsOfLast(await copyWorld(world), first)) faults.push(`${nth}: ${fault}`)
    const { points } = await live(await copyWorld(world), Number.POSITIVE_INFINITY)
    for (let second = 1 + (nth % stride); second <= points; second += stride) {
      cells.two += 1
      const again = await copyWorld(world)
      await live(again, second)
      const key = await keyOf(again)
      // From a world that has been seen, the third page goes the way it went before.
      if (seen.has(key)) continue
      seen.add(key)
      const inFlight = [...first, ...callsInFlight(await again.disk.read('s'))]
      for (const fault of await faultsOfLast(again, inFlight)) faults.push(`${nth}, then ${second}: ${fault}`)
    }
    cells.worlds += 1
  }
  cells.worlds += seen.size
  expect(faults).toEqual([])
})

afterAll(() => {
  rejections.stop()
  console.log(
    `crash matrix: ${cells.one} cells with one crash, ${cells.two} with two, ${cells.worlds} different worlds`,
  )
  expect(rejections.seen).toEqual([])
})
