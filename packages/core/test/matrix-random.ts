import type { ModelEvent, StopReason, ToolContext } from '@turnloop/core'
import fc from 'fast-check'
import { type Reply, reply } from './matrix-world.ts'

// Few ids, so that they repeat, inside a reply and over replies; one is empty.
const ids = fc.constantFrom('a', 'b', 'c', '')
const names = fc.constantFrom('look', 'book', 'pay', 'Look', 'PAY', 'nobody', '')
const texts = fc.constantFrom('', ' ', 'word', '{"n":1}', '\u{1F600}')
const inputs = fc.constantFrom('', '{}', '{}', '{"n":1}', '{"n":null}', '{"n":"x"}', '{"n":', 'null', '[]', '"{}"')
const reasons = fc.constantFrom<StopReason>(
  ...(['toolUse', 'toolUse', 'toolUse', 'toolUse', 'endTurn', 'stopSequence', 'other', 'pause', 'maxTokens'] as const),
  ...(['safety', 'error', 'cancelled', 'timeout'] as const),
)
const signed = fc.constantFrom({}, { providerMetadata: { test: { signature: 's' } } })

const calls: fc.Arbitrary<ModelEvent> = fc.record({
  ...{ type: fc.constant('tool-call' as const), id: ids, toolName: names, inputText: inputs },
})
const finishes: fc.Arbitrary<ModelEvent> = fc.record({ type: fc.constant('finish' as const), stopReason: reasons })

const events: fc.Arbitrary<ModelEvent> = fc.oneof(
  { weight: 6, arbitrary: calls },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
      id: ids,
      delta: texts,
    }),
  },
  fc.record({ type: fc.constantFrom('text-start' as const, 'reasoning-start' as const), id: ids }),
  fc
    .tuple(fc.constantFrom('text-end' as const, 'reasoning-end' as const), ids, signed)
    .map(([type, id, more]) => ({ type, id, ...more })),
  fc.record({ type: fc.constant('tool-input-start' as const), id: ids, toolName: names }),
  fc.record({ type: fc.constant('tool-input-delta' as const), id: ids, delta: texts }),
  fc.record({ type: fc.constant('tool-input-end' as const), id: ids }),
  fc.tuple(ids, inputs).map(([id, inputText]): ModelEvent => ({ ...SEARCH, type: 'tool-call', id, inputText })),
  ids.map((id): ModelEvent => ({ type: 'provider-result', id, toolName: SEARCH.toolName, result: [{ hit: 1 }] })),
  fc.constantFrom<ModelEvent>(
    { type: 'error', error: 'overloaded' },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
    { type: 'file', mediaType: 'image/png', data: { base64: 'AA==' } },
    { type: 'custom', kind: 'test' },
    { type: 'warning', message: 'topK is ignored' },
    { type: 'ping' },
    { type: 'started', modelId: 'm' },
    { type: 'provider-approval', approvalId: 'p', id: 'a' },
  ),
)

const SEARCH = { toolName: 'search', providerExecuted: true } as const

/** How a stream goes on once its events are through. */
export type Ending = 'end' | 'throw' | 'hang'

/** What a model says to one request. */
export interface RandomReply {
  readonly events: Reply
  readonly ending: Ending
}

/** A reply that asks for tools as it should. */
const askingReply: fc.Arbitrary<RandomReply> = fc
  .array(fc.constantFrom('look', 'book', 'pay', 'pay'), { minLength: 1, maxLength: 4 })
  .map((asked) => ({ events: reply('Let me see.', asked, 'toolUse'), ending: 'end' }))

/** Replies of every other kind: most finish once, some twice, too early, or never. */
const wildReply: fc.Arbitrary<RandomReply> = fc.record({
  events: fc
    .tuple(
      fc.array(events, { maxLength: 6 }),
      fc.array(finishes, { minLength: 1, maxLength: 1 }),
      fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, fc.array(fc.oneof(events, finishes), { maxLength: 3 })),
      fc.nat(11),
    )
    .map(([before, finish, after, luck]) => (luck === 0 ? before : [...before, ...finish, ...after])),
  ending: fc.constantFrom<Ending[]>('end', 'end', 'end', 'end', 'end', 'end', 'end', 'throw', 'hang'),
})

/** Whatever a tool can do. `wait` waits for the page's clock, whatever its signal says. */
export const BEHAVIOURS: Readonly<Record<string, Act>> = {
  returns: () => 'done',
  'returns an object': () => ({ done: [1, { deep: true }] }),
  'returns nothing': () => undefined,
  throws: () => {
    throw new Error('disk full')
  },
  'throws nothing': () => {
    throw undefined
  },
  obeys: ({ signal }: ToolContext) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    }),
  'is deaf': () => new Promise(() => {}),
  'is slow': async (_context: ToolContext, wait: Wait) => {
    await wait(30)
    return 'done slowly'
  },
  'is late': async (_context: ToolContext, wait: Wait) => {
    await wait(1000)
    return 'done too late'
  },
  'fails late': async (_context: ToolContext, wait: Wait) => {
    await wait(1000)
    throw new Error('failed too late')
  },
  'returns too much': () => 'x'.repeat(5000),
  'returns what cannot be copied': () => ({ run: () => {}, symbol: Symbol('s') }),
  'returns itself': () => {
    const value: { self?: unknown } = {}
    value.self = value
    return value
  },
  streams: async function* () {
    yield 'one '
    await null
    yield 'two'
  },
  'streams for ever': async function* (_context: ToolContext, wait: Wait) {
    for (;;) {
      await wait(20)
      yield { step: 1 }
    }
  },
  'streams and breaks': async function* () {
    yield 1
    throw new Error('the stream broke')
  },
}

/** Resolves after so long, on the page's clock. */
export type Wait = (ms: number) => Promise<void>

type Act = (context: ToolContext, wait: Wait) => unknown

/** The name of a behaviour. */
const behaviour = fc.constantFrom(...Object.keys(BEHAVIOURS))

/** What happens to a running turn, and before which point. */
export interface Blow {
  readonly what: 'cancel' | 'signal' | 'crash' | 'leave' | 'send' | 'replace' | 'nothing'
  readonly point: number
}

const blow: fc.Arbitrary<Blow> = fc.record({
  what: fc.constantFrom<Blow['what'][]>(
    'cancel',
    'signal',
    'crash',
    'crash',
    'leave',
    'send',
    'send',
    'replace',
    'nothing',
  ),
  point: fc.oneof(fc.nat(60), fc.nat(150), fc.nat(400)),
})

/** Everything that can be random about a conversation. */
export interface Conversation {
  readonly script: readonly RandomReply[]
  /** What each tool is like, by the names in `BEHAVIOURS`. */
  readonly tools: { readonly look: string; readonly book: string; readonly pay: string }
  readonly blows: readonly Blow[]
  readonly toolExecution: 'parallel' | 'sequential'
  readonly maxParallelTools: number
  readonly maxIterations: number
  readonly history: boolean
  readonly toolMs: number | undefined
  readonly attempts: number
}

/** Conversations of every kind. */
export const conversation: fc.Arbitrary<Conversation> = fc.record({
  script: fc.array(fc.oneof(askingReply, wildReply), { minLength: 1, maxLength: 5 }),
  tools: fc.record({ look: behaviour, book: behaviour, pay: behaviour }),
  blows: fc.array(blow, { minLength: 1, maxLength: 3 }),
  toolExecution: fc.constantFrom('parallel' as const, 'sequential' as const),
  maxParallelTools: fc.constantFrom(1, 2, 8),
  maxIterations: fc.nat(3),
  history: fc.boolean(),
  toolMs: fc.constantFrom(undefined, 50),
  attempts: fc.constantFrom(1, 2),
})
