import {
  createAgent,
  type Entry,
  isEntry,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type StopReason,
  type Tool,
  type ToolResult,
  type TurnEvent,
  type TurnResult,
  tool,
} from '@turnloop/core'
import { checkHistory, manualClock } from '@turnloop/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { idle, isDeepFrozen, resumeTurn, startTurn } from './turn-setup.ts'

const GRACE_MS = 100

// --- models that say anything ------------------------------------------------------------------------------------------

const ids = fc.constantFrom('a', 'b', '')
const names = fc.constantFrom('good', 'Good', 'bad', 'deaf', 'slow', 'nobody')
const texts = fc.constantFrom('', ' ', 'word', '{"n":1}')
const inputs = fc.constantFrom('', '{}', '{"n":1}', '{"n":null}', '{"n":"x"}', '{"n":', 'null', '[]')
const reasons = fc.constantFrom<StopReason>(
  ...(['toolUse', 'toolUse', 'toolUse', 'endTurn', 'stopSequence', 'other', 'pause', 'maxTokens'] as const),
  ...(['safety', 'error', 'cancelled', 'timeout'] as const),
)
const metadata = fc.option(fc.constant({ test: { signature: { deep: ['s'] } } }), { nil: undefined })

const anyEvent: fc.Arbitrary<ModelEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('text-start' as const, 'reasoning-start' as const), id: ids }),
  fc.record({ type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const), id: ids, delta: texts }),
  fc
    .record({
      type: fc.constantFrom('text-end' as const, 'reasoning-end' as const),
      id: ids,
      providerMetadata: metadata,
    })
    .map(({ providerMetadata, ...end }) => ({ ...end, ...(providerMetadata && { providerMetadata }) })),
  fc.record({ type: fc.constant('tool-input-start' as const), id: ids, toolName: names }),
  fc.record({ type: fc.constant('tool-input-delta' as const), id: ids, delta: texts }),
  fc.record({ type: fc.constant('tool-call' as const), id: ids, toolName: names, inputText: inputs }),
  fc.record({ type: fc.constant('tool-call' as const), id: ids, toolName: names, inputText: inputs }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: ids,
    toolName: fc.constant('web_search'),
    inputText: inputs,
    providerExecuted: fc.constant(true),
  }),
  fc.record({
    type: fc.constant('provider-result' as const),
    id: ids,
    toolName: fc.constant('web_search'),
    result: fc.constant({ hits: [{ title: 'x' }] }),
  }),
  fc.record({
    type: fc.constant('error' as const),
    error: fc.constantFrom('overloaded', new Error('down'), undefined),
  }),
  fc.constant<ModelEvent>({ type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' }),
  fc.constant<ModelEvent>({ type: 'warning', message: 'topK is ignored' }),
  fc.constant<ModelEvent>({ type: 'started', modelId: 'm' }),
)

interface Reply {
  readonly events: readonly ModelEvent[]
  readonly end: 'finish' | 'cut' | 'throw' | 'hang'
  readonly stopReason: StopReason
}

const replies: fc.Arbitrary<Reply> = fc.record({
  events: fc.array(anyEvent, { maxLength: 8 }),
  end: fc.constantFrom<Reply['end'][]>('finish', 'finish', 'finish', 'finish', 'cut', 'throw', 'hang'),
  stopReason: reasons,
})

/** Plays the replies in order, then answers plainly; remembers what it was asked. */
function playing(script: readonly Reply[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  async function* stream(reply: Reply | undefined): AsyncGenerator<ModelEvent> {
    if (reply === undefined) yield { type: 'text-delta', id: 't', delta: 'Done.' }
    // Fresh objects: what the loop freezes must not be shared between runs.
    else yield* structuredClone(reply.events)
    if (reply?.end === 'hang') await new Promise(() => {})
    if (reply?.end === 'throw') throw new Error('connection lost')
    if (reply?.end !== 'cut') yield { type: 'finish', stopReason: reply?.stopReason ?? 'endTurn' }
  }
  return {
    provider: 'test',
    modelId: 'test',
    requests,
    stream: (request) => stream(script[requests.push(request) - 1]),
  }
}

// --- tools that do anything ----------------------------------------------------------------------------------------------

/** How often each call ran, by its key. */
type Runs = Map<string, number>

function toolsOf(runs: Runs): Tool[] {
  const make = (name: string, execute: (signal: AbortSignal) => unknown, exclusive = false): Tool =>
    tool({
      name,
      description: name,
      input: z.object({ n: z.number().optional() }),
      effect: 'read',
      exclusive,
      timeoutMs: 1000,
      execute: (_input, { idempotencyKey, signal, progress }) => {
        runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1)
        progress('begun')
        return execute(signal)
      },
    })
  return [
    make('good', () => ({ value: [1] })),
    make('bad', () => {
      throw new Error('disk full')
    }),
    make('deaf', () => new Promise(() => {})),
    make(
      'slow',
      (signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
        ),
      true,
    ),
  ]
}

// --- one turn ------------------------------------------------------------------------------------------------------------

interface Ran {
  readonly result: TurnResult
  readonly entries: readonly Entry[]
  readonly events: readonly TurnEvent[]
  readonly requests: readonly ModelRequest[]
  readonly runs: Runs
  /** What had been asked for when Stop came, if it came. */
  readonly requestsAtStop: number | undefined
}

/** Run a turn and stop it at its nth event; a turn that gets stuck is stopped too. */
async function run(script: readonly Reply[], stopAt: number): Promise<Ran> {
  const clock = manualClock()
  const model = playing(script)
  const runs: Runs = new Map()
  const events: TurnEvent[] = []
  let requestsAtStop: number | undefined
  const agent = createAgent({ model, tools: toolsOf(runs), clock, graceMs: GRACE_MS, maxIterations: 6 })
  const stop = (): void => {
    if (turn.outcome === undefined) requestsAtStop ??= model.requests.length
    turn.cancel('enough')
  }
  const { turn, log } = startTurn(agent, 'Go', {
    onEvent: (event) => {
      if (events.push(event) === stopAt) stop()
    },
  })
  let result: TurnResult | undefined
  turn.untilDone().then((end) => {
    result = end
  })
  for (let round = 0; round < 40 && result === undefined; round += 1) {
    await idle()
    await clock.runAll()
  }
  if (result === undefined) {
    stop()
    await clock.advance(2 * GRACE_MS)
    await idle()
  }
  if (result === undefined) throw new Error('The turn did not end within twice the grace time.')
  await clock.runAll()
  return { result, entries: log.entries, events, requests: model.requests, runs, requestsAtStop }
}

function expectSound({ result, entries, events, requests, requestsAtStop }: Ran): void {
  // One outcome, and nothing but late results after it.
  const ended = entries.findIndex(({ type }) => type === 'turn-ended')
  expect(entries.filter(({ type }) => type === 'turn-ended')).toHaveLength(1)
  for (const entry of entries.slice(ended + 1)) expect(entry).toMatchObject({ type: 'tool-settled', late: true })
  expect(events.at(-1)?.type).toBe('turn-ended')
  expect(entries[ended]).toMatchObject({ outcome: result.outcome })
  // Every request is one that every provider takes; after Stop there is none.
  for (const { messages } of requests) expect(checkHistory(messages, { request: true }).problems).toEqual([])
  if (requestsAtStop !== undefined) expect(requests).toHaveLength(requestsAtStop)
  // The log: without a gap, frozen throughout, plain.
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_entry, index) => index + 1))
  expect(entries.filter((entry) => !isDeepFrozen(entry))).toEqual([])
  expect(JSON.parse(JSON.stringify(entries))).toEqual(entries)
  // What is left can be gone on from.
  const next: Message = { id: 'next', role: 'user', createdAt: 0, content: [{ type: 'text', text: 'And now?' }] }
  expect(checkHistory(result.messages).problems).toEqual([])
  expect(checkHistory([...result.messages, next], { request: true }).problems).toEqual([])
}

/** Every call that starts settles once, and what it says happened is what happened. */
function expectTruthful({ entries, events, runs, result }: Ran): void {
  const inTime = entries.filter((entry) => entry.type === 'tool-settled' && !entry.late)
  const ids = inTime.map((entry) => (entry.type === 'tool-settled' ? entry.callId : ''))
  expect(new Set(ids).size).toBe(ids.length)
  for (const entry of entries) if (entry.type === 'tool-started') expect(ids).toContain(entry.callId)
  for (const message of result.messages) {
    if (message.role === 'tool') for (const answer of message.results) expectTrue(answer, runs)
  }
  // A call's progress comes between its start and its end.
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool-started') open.add(event.callId)
    if (event.type === 'tool-settled') open.delete(event.callId)
    if (event.type === 'tool-progress') expect(open.has(event.callId)).toBe(true)
  }
  const facts = events.filter(isEntry)
  expect(facts).toEqual(entries.slice(0, facts.length))
}

function expectTrue({ callId, status, toolName }: ToolResult, runs: Runs): void {
  const ran = runs.get(callId) ?? 0
  expect(ran).toBeLessThanOrEqual(1)
  if (status === 'ok') expect([ran, toolName.toLowerCase()]).toEqual([1, 'good'])
  if (status === 'not-run') expect(ran).toBe(0)
  if (status === 'cancelled' || status === 'unknown') expect(ran).toBe(1)
}

const scripts = fc.array(replies, { minLength: 1, maxLength: 5 })

test('any replies, tools and Stop leave a sound, true log', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.integer({ min: 1, max: 60 }), async (script, stopAt) => {
      const ran = await run(script, stopAt)
      expectSound(ran)
      expectTruthful(ran)
    }),
    { numRuns: 300 },
  )
})

test('any turn without a Stop ends, or hangs with its model', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const ran = await run(script, 0)
      expectSound(ran)
      expectTruthful(ran)
      const hangs = script.some(({ end }) => end === 'hang')
      if (!hangs) expect(ran.result.outcome.kind).not.toBe('cancelled')
    }),
    { numRuns: 200 },
  )
})

test('a turn cut after any entry goes on to one end', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, fc.nat(), async (script, where) => {
      const whole = (await run(script, 0)).entries
      const ended = whole.findIndex(({ type }) => type === 'turn-ended')
      const length = 2 + (where % Math.max(1, ended - 2))
      if (length >= ended) return
      const clock = manualClock()
      const model = playing([])
      const runs: Runs = new Map()
      const events: TurnEvent[] = []
      const agent = createAgent({ model, tools: toolsOf(runs), clock, graceMs: GRACE_MS })
      const { turn, log } = resumeTurn(agent, whole.slice(0, length), { onEvent: (event) => events.push(event) })
      const done = turn.untilDone()
      for (let round = 0; round < 10; round += 1) {
        await idle()
        await clock.runAll()
      }
      const result = await done
      const ran = { result, entries: log.entries, events, requests: model.requests, runs, requestsAtStop: undefined }
      expectSound(ran)
      expect(log.entries.slice(0, length)).toEqual(whole.slice(0, length))
    }),
    { numRuns: 200 },
  )
})
