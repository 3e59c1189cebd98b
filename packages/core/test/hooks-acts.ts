import {
  background,
  defineEval,
  defineGuardrail,
  defineHook,
  type HookContext,
  InputCheckError,
  type PostHook,
  type PreHook,
  RetryModel,
  StopTurn,
  type Tool,
  type ToolContext,
  type ToolHook,
  type ToolHookSet,
  tool,
  toolHooks,
} from '@turnloop/core'
import { z } from 'zod'
import type { Act, GuardPlan, HookPlan, ListedPlan, OwnHookPlan, ToolAct, ToolHookPlan } from './hooks-random.ts'

/** Resolves after so long, on the turn's clock. */
export type Wait = (ms: number) => Promise<void>

const THROWN: Readonly<Partial<Record<Act, () => unknown>>> = {
  throw: () => new Error('a hook broke'),
  'check error': () => new InputCheckError('not like this'),
  'stop error': () => new StopTurn('enough'),
  'retry error': () => new RetryModel('try again'),
  'abort error': () => new DOMException('left', 'AbortError'),
}

/** Do one thing; what comes back is what the hook returns, if it returns here. */
async function perform(
  act: Act,
  context: HookContext,
  { wait, replacement }: { wait: Wait; replacement: unknown },
): Promise<unknown> {
  const error = THROWN[act]?.()
  if (error !== undefined) throw error
  if (act === 'block' || act === 'stop' || act === 'retry') return { [act]: `${act} it` }
  if (act === 'replace') return { replace: replacement }
  if (act === 'nonsense') return { replaces: [1, () => {}] }
  if (act === 'hang') return new Promise(() => {})
  if (act === 'wait') await wait(30)
  if (act === 'state') context.state = { ...context.state, count: Number(context.state.count ?? 0) + 1 }
  if (act === 'bad state') context.state.bad = () => {}
  if (act === 'inject') context.inject('By the way.')
  if (act === 'rewrite') context.rewriteTranscript((messages) => messages.slice(-1))
  if (act === 'emit') context.emit('note', { at: context.iteration })
  return undefined
}

async function performAll(
  acts: readonly Act[],
  context: HookContext,
  ways: { wait: Wait; replacement: unknown },
): Promise<unknown> {
  for (const act of acts) {
    const said = await perform(act, context, ways)
    if (said !== undefined) return said
  }
  return undefined
}

/** A hook that does as planned. */
export function makeHook<Context extends HookContext>(
  plan: HookPlan,
  wait: Wait,
  ways: { replacement?: unknown; assign?(context: Context): void } = {},
): (context: Context) => Promise<never> {
  return async (context) => {
    if (plan.acts.includes('assign')) ways.assign?.(context)
    // Whatever it says: what is no verdict is part of the game.
    return (await performAll(plan.acts, context, { wait, replacement: ways.replacement })) as never
  }
}

/** The same as what a list of loop hooks takes. */
export function makeLoopHook(plan: HookPlan, wait: Wait, name: string, replacement: unknown): never {
  const run = makeHook(plan, wait, { replacement })
  const { timeoutMs } = plan
  // Taken at every point: what it replaces is that point's own.
  return (
    plan.as === 'function' ? run : defineHook({ name, run, ...(timeoutMs !== undefined && { timeoutMs }) })
  ) as never
}

/** What stands in `preHooks` and `postHooks`. */
export function makeListed(given: ListedPlan, wait: Wait, slot: 'pre' | 'post', index: number): PreHook & PostHook {
  const name = `${slot} ${index}`
  if (given.kind === 'guard') return makeGuard(given.plan, wait, name)
  if (given.kind === 'eval') {
    return defineEval({
      ...{ name, phase: slot === 'pre' ? 'input' : 'output', ...(given.isLater && { background: true }) },
      evaluate: async (context) => {
        await perform(given.act, context, { wait, replacement: 'x' })
        return { score: 1 }
      },
    })
  }
  const { plan } = given
  const assign = (context: { input?: { text: string }; result?: { text: string } }): void => {
    if (slot === 'pre' && context.input) context.input.text = 'Assigned.'
    if (slot === 'post' && context.result) context.result.text = 'Assigned.'
  }
  const run = makeHook(plan, wait, { replacement: 'Replaced.', assign: assign as never }) as never
  if (plan.as === 'function') return run
  const { timeoutMs } = plan
  const hook = defineHook<never, string>({ name, run, ...(timeoutMs !== undefined && { timeoutMs }) })
  return (plan.as === 'background' ? background(hook) : hook) as never
}

/** A guardrail that decides as planned. */
export function makeGuard(
  { verdict, timeoutMs, onError }: GuardPlan,
  wait: Wait,
  name: string,
): ReturnType<typeof defineGuardrail> {
  return defineGuardrail({
    ...{ name, onError, ...(timeoutMs !== undefined && { timeoutMs }) },
    check: async ({ texts }) => {
      if (verdict === 'throw') throw new Error('the check broke')
      if (verdict === 'hang') return new Promise(() => {})
      if (verdict === 'wait') await wait(30)
      if (verdict === 'block') return { block: 'not this' }
      if (verdict === 'replace') return { replace: texts.map((text) => text.replace(/l/g, 'L')) }
      if (verdict === 'nonsense') return { replace: ['too', 'many', 'texts', 'for', 'anything'] }
      return undefined
    },
  })
}

const OTHER = { same: undefined, other: { n: 7 }, misfit: { n: 'seven' } } as const

/** Middleware that does as planned. */
export function makeToolHook(plan: ToolHookPlan, wait: Wait, name: string): ToolHook {
  const { before, after, calls, atOnce, catches, returns, timeoutMs } = plan
  const ways = { wait, replacement: 'x' }
  return {
    ...{ kind: 'tool-hook', name, ...(timeoutMs !== undefined && { timeoutMs }) },
    run: async (_call, next, context) => {
      const early = await perform(before, context, ways)
      if (early !== undefined) return early
      const goOn = async (): Promise<unknown> => {
        try {
          return await next(OTHER[plan.input])
        } catch (error) {
          if (catches) return 'caught'
          throw error
        }
      }
      let last: unknown = 'no call'
      if (atOnce) [last = 'no call'] = await Promise.all(Array.from({ length: calls }, goOn))
      else for (let time = 0; time < calls; time += 1) last = await goOn()
      const late = await perform(after, context, ways)
      if (late !== undefined) return late
      return returns === 'another' ? 'another result' : last
    },
  }
}

/** A tool's own hooks. */
export function makeOwnHooks(plan: OwnHookPlan | undefined, wait: Wait, name: string): { hooks?: ToolHookSet } {
  if (plan === undefined) return {}
  const { before, after, around, isCached, timeoutMs } = plan
  const ways = { wait, replacement: 'x' }
  const hooks = toolHooks({
    before: async (_call, context) => {
      if (before === 'other input') return { input: { n: 3 } }
      if (before === 'misfit input') return { input: { n: 'three' } }
      if (before === 'answer') return { result: 'answered before' }
      if (before === 'deny') return { deny: 'not now' }
      // What is no verdict of its own is part of the game.
      return (await perform(before, context, ways)) as undefined
    },
    after: async (_call, context) =>
      // As above.
      after === 'answer' ? { result: 'answered after' } : ((await perform(after, context, ways)) as undefined),
    around: around.map((inner, index) => makeToolHook(inner, wait, `${name} around ${index}`)),
    ...(isCached && { cache: { ttlMs: 1000 } }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  return { hooks }
}

/** A tool that does as planned; `onRun` hears what it really got. */
export function makeTool(
  name: 'look' | 'pay',
  act: ToolAct,
  { wait, hooks, onRun }: { wait: Wait; hooks: { hooks?: ToolHookSet }; onRun(callId: string, input: unknown): void },
): Tool {
  return tool({
    ...{
      name,
      description: name,
      effect: name === 'pay' ? 'unsafe' : 'read',
      input: z.object({ n: z.number().optional() }),
    },
    ...hooks,
    execute: (input, context) => {
      onRun(context.callId, input)
      return DEEDS[act](context, wait)
    },
  })
}

const DEEDS: Readonly<Record<ToolAct, (context: ToolContext, wait: Wait) => unknown>> = {
  return: () => 'done',
  throw: () => {
    throw new Error('disk full')
  },
  wait: async (_context, wait) => {
    await wait(30)
    return 'done slowly'
  },
  obey: ({ signal }) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    }),
  deaf: async (_context, wait) => {
    await wait(5000)
    return 'done too late'
  },
  stop: () => {
    throw new StopTurn('the tool has enough')
  },
  retry: () => {
    throw new RetryModel('ask differently')
  },
  check: () => {
    throw new InputCheckError('not for tools')
  },
  state: (context) => {
    context.state.seen = Number(context.state.seen ?? 0) + 1
    return 'noted'
  },
  'bad state': (context) => {
    context.state.bad = () => {}
    return 'noted badly'
  },
  stream: async function* () {
    yield 'one '
    await null
    yield 'two'
  },
}
