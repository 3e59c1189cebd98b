import type { ModelEvent } from '@turnloop/core'
import fc from 'fast-check'
import { type Reply, reply, say } from './matrix-world.ts'

/** What a hook does at one moment. */
export type Act =
  | 'nothing'
  | 'throw'
  | 'check error'
  | 'stop error'
  | 'retry error'
  | 'abort error'
  | 'block'
  | 'stop'
  | 'retry'
  | 'replace'
  | 'nonsense'
  | 'hang'
  | 'wait'
  | 'state'
  | 'bad state'
  | 'inject'
  | 'rewrite'
  | 'assign'
  | 'emit'

/** A hook that does one thing after another; the first that says something is its last. */
export interface HookPlan {
  readonly acts: readonly Act[]
  readonly timeoutMs: number | undefined
  readonly as: 'function' | 'hook' | 'background'
}

/** A tool hook: what it does before and after, and how it goes on. */
export interface ToolHookPlan {
  readonly before: Act
  readonly after: Act
  readonly calls: 0 | 1 | 2
  readonly atOnce: boolean
  readonly input: 'same' | 'other' | 'misfit'
  readonly catches: boolean
  readonly returns: 'its result' | 'another'
  readonly timeoutMs: number | undefined
}

/** What a tool's own `before` and `after` do. */
export interface OwnHookPlan {
  readonly before: Act | 'other input' | 'misfit input' | 'answer' | 'deny'
  readonly after: Act | 'answer'
  readonly around: readonly ToolHookPlan[]
  readonly isCached: boolean
  readonly timeoutMs: number | undefined
}

export interface GuardPlan {
  readonly verdict: 'pass' | 'block' | 'replace' | 'throw' | 'hang' | 'wait' | 'nonsense'
  readonly timeoutMs: number | undefined
  readonly onError: 'block' | 'allow'
}

/** Anything that may stand in `preHooks` and `postHooks`. */
export type ListedPlan =
  | { readonly kind: 'hook'; readonly plan: HookPlan }
  | { readonly kind: 'guard'; readonly plan: GuardPlan }
  | { readonly kind: 'eval'; readonly act: Act; readonly isLater: boolean }

export const POINTS = [
  'beforeModelCall',
  'afterModelCall',
  'beforeToolCall',
  'afterToolCall',
  'afterTurn',
  'onCancel',
  'onError',
] as const

export type Point = (typeof POINTS)[number]

/** Everything that can be random about a turn with hooks. */
export interface HookedTurnPlan {
  readonly script: readonly Reply[]
  readonly pre: readonly ListedPlan[]
  readonly post: readonly ListedPlan[]
  readonly toolHooks: readonly ToolHookPlan[]
  readonly toolGuards: readonly GuardPlan[]
  readonly own: { readonly look: OwnHookPlan | undefined; readonly pay: OwnHookPlan | undefined }
  readonly loop: readonly { readonly at: Point; readonly plan: HookPlan }[]
  readonly tools: { readonly look: ToolAct; readonly pay: ToolAct }
  readonly outputMode: 'off' | 'buffer' | { readonly window: number }
  readonly maxHookRetries: number
  readonly storeRejected: 'none' | 'redacted' | 'full'
  readonly commitStateOn: 'completed' | 'always'
  readonly backgroundHooks: 'marked' | 'all'
  readonly toolExecution: 'parallel' | 'sequential'
  readonly passthrough: boolean
  /** The point before which it is stopped. */
  readonly stopAt: number | undefined
}

/** What a tool does. */
export type ToolAct =
  | 'return'
  | 'throw'
  | 'wait'
  | 'obey'
  | 'deaf'
  | 'stop'
  | 'retry'
  | 'check'
  | 'state'
  | 'bad state'
  | 'stream'

const QUIET_ACTS: readonly Act[] = ['nothing', 'wait', 'state', 'inject', 'rewrite', 'assign', 'emit', 'bad state']
const LOUD_ACTS: readonly Act[] = [
  ...(['throw', 'check error', 'stop error', 'retry error', 'abort error', 'block', 'stop', 'retry'] as const),
  ...(['replace', 'nonsense', 'hang'] as const),
]

const act: fc.Arbitrary<Act> = fc.constantFrom(...QUIET_ACTS, ...QUIET_ACTS, ...LOUD_ACTS)
const timeoutMs = fc.constantFrom(undefined, undefined, 20)

const hookPlan: fc.Arbitrary<HookPlan> = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 3 }),
  timeoutMs,
  as: fc.constantFrom<HookPlan['as'][]>('function', 'function', 'hook', 'background'),
})

const loopPlan: fc.Arbitrary<HookPlan> = hookPlan.map((plan) =>
  plan.as === 'background' ? { ...plan, as: 'hook' } : plan,
)

const toolHookPlan: fc.Arbitrary<ToolHookPlan> = fc.record({
  before: act,
  after: act,
  calls: fc.constantFrom<ToolHookPlan['calls'][]>(0, 1, 1, 1, 2),
  atOnce: fc.boolean(),
  input: fc.constantFrom<ToolHookPlan['input'][]>('same', 'same', 'other', 'misfit'),
  catches: fc.boolean(),
  returns: fc.constantFrom('its result' as const, 'another' as const),
  timeoutMs,
})

const ownPlan: fc.Arbitrary<OwnHookPlan> = fc.record({
  before: fc.oneof(
    act,
    fc.constantFrom('other input' as const, 'misfit input' as const, 'answer' as const, 'deny' as const),
  ),
  after: fc.oneof(act, fc.constant('answer' as const)),
  around: fc.array(toolHookPlan, { maxLength: 1 }),
  isCached: fc.boolean(),
  timeoutMs,
})

const guardPlan: fc.Arbitrary<GuardPlan> = fc.record({
  verdict: fc.constantFrom<GuardPlan['verdict'][]>(
    ...(['pass', 'pass', 'pass', 'block', 'replace', 'replace', 'throw', 'hang', 'wait', 'nonsense'] as const),
  ),
  timeoutMs,
  onError: fc.constantFrom('block' as const, 'allow' as const),
})

const listed: fc.Arbitrary<ListedPlan> = fc.oneof(
  { weight: 4, arbitrary: hookPlan.map((plan) => ({ kind: 'hook' as const, plan })) },
  { weight: 2, arbitrary: guardPlan.map((plan) => ({ kind: 'guard' as const, plan })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('eval' as const), act, isLater: fc.boolean() }) },
)

const names = fc.constantFrom('look', 'look', 'pay', 'pay', 'nobody')
const halfCall: readonly ModelEvent[] = [
  { type: 'tool-input-start', id: 'half', toolName: 'look' },
  { type: 'tool-input-delta', id: 'half', delta: '{"a":' },
]

const aReply: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(names, { minLength: 1, maxLength: 3 }).map((asked) => reply('Let me see.', asked, 'toolUse')),
  },
  { weight: 3, arbitrary: fc.constant(reply('All done.', [], 'endTurn')) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Reply[]>(
      reply('Cut.', ['look'], 'maxTokens'),
      reply('All do', [], 'maxTokens'),
      [...say('Half'), ...halfCall],
      [...say('Half')],
      [...say('Al'), { type: 'error', error: new Error('overloaded') }],
      reply('', [], 'endTurn'),
      reply('Wait.', [], 'pause'),
      reply('I will call.', [], 'toolUse'),
      reply('No.', ['pay'], 'safety'),
      [
        { type: 'tool-call', id: 'x', toolName: 'look', inputText: '{"n":' },
        { type: 'finish', stopReason: 'toolUse' },
      ],
      [
        { type: 'tool-call', id: 'x', toolName: 'pay', inputText: '{"n":1}' },
        { type: 'finish', stopReason: 'toolUse' },
      ],
    ),
  },
)

const toolAct: fc.Arbitrary<ToolAct> = fc.constantFrom<ToolAct[]>(
  ...(['return', 'return', 'return', 'throw', 'wait', 'obey', 'deaf', 'stop', 'retry', 'check', 'state'] as const),
  ...(['bad state', 'stream'] as const),
)

/** Turns with hooks of every kind. */
export const hookedTurn: fc.Arbitrary<HookedTurnPlan> = fc.record({
  script: fc.array(aReply, { minLength: 1, maxLength: 3 }),
  pre: fc.array(listed, { maxLength: 2 }),
  post: fc.array(listed, { maxLength: 2 }),
  toolHooks: fc.array(toolHookPlan, { maxLength: 2 }),
  toolGuards: fc.array(guardPlan, { maxLength: 1 }),
  own: fc.record({ look: fc.option(ownPlan, { nil: undefined }), pay: fc.option(ownPlan, { nil: undefined }) }),
  loop: fc.array(fc.record({ at: fc.constantFrom(...POINTS), plan: loopPlan }), { maxLength: 3 }),
  tools: fc.record({ look: toolAct, pay: toolAct }),
  outputMode: fc.constantFrom<HookedTurnPlan['outputMode'][]>('off', 'buffer', { window: 3 }),
  maxHookRetries: fc.nat(2),
  storeRejected: fc.constantFrom('none' as const, 'redacted' as const, 'full' as const),
  commitStateOn: fc.constantFrom('completed' as const, 'always' as const),
  backgroundHooks: fc.constantFrom('marked' as const, 'marked' as const, 'all' as const),
  toolExecution: fc.constantFrom('parallel' as const, 'sequential' as const),
  passthrough: fc.constantFrom(false, false, false, true),
  stopAt: fc.oneof(fc.constant(undefined), fc.nat(60), fc.nat(400)),
})
