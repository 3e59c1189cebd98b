import {
  createAgent,
  type Entry,
  MemoryStore,
  type Model,
  type ModelEvent,
  type ModelRequest,
  openSession,
  type Session,
  type Tool,
  tool,
} from '@turnloop/core'
import { checkHistory, type ManualClock, manualClock } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Mortality, mortalStore } from './matrix-crash.ts'
import { isSame, settled, watchPoints, watchRejections } from './matrix-points.ts'
import { BEHAVIOURS, type Blow, type Conversation, conversation, type RandomReply } from './matrix-random.ts'
import { logFaults } from './session-setup.ts'

const GRACE_MS = 100
const EFFECTS = { look: 'read', book: 'idempotent', pay: 'unsafe' } as const

/** What outlives every page of a conversation. */
interface World {
  readonly given: Conversation
  readonly disk: MemoryStore
  readonly script: RandomReply[]
  readonly runs: Map<string, number>
  readonly requests: ModelRequest[]
  readonly faults: string[]
}

interface Page {
  readonly session: Session
  readonly clock: ManualClock
  readonly life: Mortality
}

function openPage(world: World): Page {
  const { given, disk } = world
  const life = new Mortality()
  const clock = manualClock()
  const { toolExecution, maxParallelTools, maxIterations, history, toolMs, attempts } = given
  const agent = createAgent({
    ...{ clock, toolExecution, maxParallelTools, maxIterations, history, graceMs: GRACE_MS, maxResultBytes: 1000 },
    ...{ model: randomModel(world, life), tools: randomTools(world, { clock, life }) },
    retry: { attempts, baseDelayMs: 20 },
    ...(toolMs !== undefined && { timeouts: { toolMs } }),
  })
  return { session: openSession({ agent, store: mortalStore(disk, life), id: 's' }), clock, life }
}

function randomModel(world: World, life: Mortality): Model {
  async function* stream(next: RandomReply | undefined, isPlain: boolean): AsyncGenerator<ModelEvent> {
    if (next === undefined || isPlain) yield { type: 'text-delta', id: 't', delta: 'Fine.' }
    // Fresh objects: what the loop freezes is not shared between runs.
    else yield* structuredClone(next.events)
    if (next?.ending === 'hang' && !isPlain) await new Promise(() => {})
    if (next?.ending === 'throw' && !isPlain) throw new Error('connection lost')
    if (next === undefined || isPlain) yield { type: 'finish', stopReason: 'endTurn' }
  }
  return {
    ...{ provider: 'test', modelId: 'test' },
    stream(request) {
      if (life.isDead) return stream({ events: [], ending: 'hang' }, false)
      world.requests.push(request)
      const isPlain = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')).includes('last words')
      return stream(isPlain ? undefined : world.script.shift(), isPlain)
    },
  }
}

function randomTools(world: World, { clock, life }: Pick<Page, 'clock' | 'life'>): Tool[] {
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.setTimer(() => {
        if (!life.isDead) resolve()
      }, ms)
    })
  const make = (name: keyof typeof EFFECTS): Tool =>
    tool({
      ...{ name, description: name, effect: EFFECTS[name], input: z.object({ n: z.number().optional() }) },
      execute: (_input, context) => {
        if (life.isDead) return new Promise(() => {})
        world.runs.set(context.callId, (world.runs.get(context.callId) ?? 0) + 1)
        context.progress('begun')
        return BEHAVIOURS[world.given.tools[name]]?.(context, wait)
      },
    })
  return [make('look'), make('book'), make('pay')]
}

const quiet = (promise: Promise<unknown>): void => void promise.catch(() => {})

/** Have a conversation that blows hit, and open it again as often as its page has gone. */
async function play(given: Conversation): Promise<World> {
  await settled()
  const [disk, runs] = [new MemoryStore(), new Map<string, number>()]
  const world: World = { given, disk, runs, script: [...given.script], requests: [], faults: [] }
  let isFirst = true
  for (const blow of given.blows) {
    const page = openPage(world)
    const host = new AbortController()
    let requestsAtStop: number | undefined
    const watch = watchPoints(1 + blow.point, () => {
      if (blow.what === 'cancel' && page.session.getSnapshot().status === 'running')
        requestsAtStop = world.requests.length
      strike(blow, page, host)
    })
    if (isFirst) quiet(page.session.send('Go', { signal: host.signal }))
    isFirst = false
    await untilQuiet(page)
    watch.stop()
    if (blow.what === 'cancel' && requestsAtStop !== undefined && world.requests.length > requestsAtStop) {
      world.faults.push('the model was asked after Stop')
    }
    if (!page.life.isDead) await page.session.flush()
    // Each blow meets a page of its own.
    page.life.isDead = true
  }
  return world
}

function strike({ what }: Blow, { session, life }: Page, host: AbortController): void {
  if (what === 'cancel') quiet(session.cancel('enough'))
  if (what === 'signal') host.abort('enough')
  if (what === 'crash') life.isDead = true
  if (what === 'leave') quiet(session.close({ running: 'leave' }))
  if (what === 'send') quiet(session.send('More'))
  if (what === 'replace') quiet(session.send('Rather this', { whenBusy: 'replace' }))
}

/** Let time pass until nothing goes on; what hangs is stopped, and has to stop in time. */
async function untilQuiet({ session, clock, life }: Page): Promise<void> {
  const isQuiet = (): boolean => life.isDead || ['idle', 'closed'].includes(session.getSnapshot().status)
  for (let round = 0; round < 12; round += 1) {
    await settled()
    if (isQuiet()) return
    await clock.advance(100)
  }
  // A second input may hang like the first.
  for (let round = 0; round < 4 && !isQuiet(); round += 1) {
    quiet(session.cancel('it hangs'))
    await clock.advance(2 * GRACE_MS)
  }
  if (!isQuiet()) throw new Error(`Stop did not stop it: ${session.getSnapshot().status}`)
}

/** What is wrong with what a conversation has left behind. */
async function faultsOf(world: World): Promise<string[]> {
  const { faults, given, requests, disk } = world
  world.script.length = 0
  const page = openPage(world)
  // First whatever was cut: it may hang, and Stop would hold the next input as well.
  await untilQuiet(page)
  const last = page.session.send('last words')
  await untilQuiet(page)
  const { outcome, text, messages } = await last
  if (outcome.kind !== 'completed' || text !== 'Fine.') faults.push(`the last turn ${outcome.kind}: ${text}`)
  await page.session.flush()
  const log = await disk.read('s')
  faults.push(...logFaults(log), ...faultsOfPayments(log, world), ...faultsOfCaps(log, given))
  for (const [index, request] of requests.entries()) faults.push(...faultsOfRequest(request, index, given))
  faults.push(...checkHistory(messages).problems.map(({ message }) => message))
  faults.push(...(await faultsOfReload(page, openPage(world))))
  return faults
}

function faultsOfPayments(log: readonly Entry[], { runs, given }: World): string[] {
  const faults: string[] = []
  const answers = log.flatMap((entry) => (entry.type === 'tool-settled' && !entry.late ? [entry] : []))
  const started = new Set(log.flatMap((entry) => (entry.type === 'tool-started' ? [entry.callId] : [])))
  if (new Set(answers.map(({ callId }) => callId)).size < answers.length) faults.push('a call settled twice')
  for (const { callId, toolName, status } of answers) {
    const ran = runs.get(callId) ?? 0
    const isPayment = toolName.toLowerCase() === 'pay'
    if (isPayment && ran > 1) faults.push(`${callId} was paid ${ran} times`)
    if (isPayment && ran > 0 && status === 'not-run') faults.push('a payment is told as not run')
    if (ran === 0 && status === 'ok') faults.push(`${toolName} is told as done and never ran`)
  }
  for (const callId of started) {
    if (!answers.some((answer) => answer.callId === callId)) faults.push('a call that started has no answer')
  }
  // A read may have begun when the page died, before anything of it was stored.
  const isWhole = given.blows.every(({ what }) => what !== 'crash')
  for (const callId of isWhole ? runs.keys() : []) if (!started.has(callId)) faults.push('a call ran and is forgotten')
  return faults
}

function faultsOfCaps(log: readonly Entry[], { maxIterations }: Conversation): string[] {
  return log.flatMap((entry) => {
    if (entry.type === 'turn-ended' && entry.iterations > maxIterations + 1) return [`${entry.iterations} iterations`]
    if (entry.type !== 'tool-settled') return []
    const { length } = JSON.stringify(entry.result)
    return length > 2000 ? [`a result of ${length} characters`] : []
  })
}

function faultsOfRequest({ messages }: ModelRequest, index: number, { history }: Conversation): string[] {
  const problems = checkHistory(messages, { request: true }).problems.map(
    ({ message }) => `request ${index}: ${message}`,
  )
  const asked = messages.filter((message) => message.role === 'user' && message.synthetic === undefined)
  return history || asked.length <= 1 ? problems : [...problems, `request ${index} sees ${asked.length} turns`]
}

async function faultsOfReload({ session }: Page, { session: again }: Page): Promise<string[]> {
  await again.flush()
  const [now, then] = [session.getSnapshot(), again.getSnapshot()]
  const fields = ['status', 'messages', 'usage', 'outcome', 'pending', 'queue'] as const
  return fields.filter((field) => !isSame(now[field], then[field])).map((field) => `it loads with other ${field}`)
}

test('whatever happens in a conversation, it stays sound, true, and can be gone on with', async () => {
  const rejections = watchRejections()
  await fc.assert(
    fc.asyncProperty(conversation, async (given) => {
      expect(await faultsOf(await play(given))).toEqual([])
    }),
    { numRuns: 300, timeout: 10_000 },
  )
  rejections.stop()
  expect(rejections.seen).toEqual([])
})
