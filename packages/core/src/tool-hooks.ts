import { callView, hearThrown, runMiddleware } from './call-middleware.ts'
import { checkOptions, isDelay, isFunction, isObject, type OptionRules } from './check-options.ts'
import { describeThrown } from './errors.ts'
import type { HookContext } from './hook-context.ts'
import { runnerOf } from './hook-runner.ts'
import { deepFreeze, isJsonObject, type JsonObject } from './json.ts'
import { CALL_ENGINE, isStreamed } from './layered-call.ts'
import type { CallToolResult } from './messages.ts'
import { textResult } from './result-text.ts'
import type { ToolHookSet } from './tool.ts'
import { ToolCache, type ToolCacheOptions } from './tool-cache.ts'
import { placeToolHooks, type ToolHook, type ToolHookCall } from './tool-hook.ts'
import type { ReadyCall } from './tool-plan.ts'
import { toCallToolResult } from './tool-result.ts'
import type { CallChange, CallLayer, CallNext, CallScope } from './turn-hooks.ts'

/** What `before` may say: other arguments, a result in the tool's place, or why the call may not be. */
export type BeforeTool =
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says so.
  | void
  | undefined
  | { readonly input: JsonObject }
  | { readonly result: unknown }
  | { readonly deny: string }

/** What `after` may say: another result. */
export type AfterTool =
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says so.
  | void
  | { readonly result: unknown }

/** A call after its tool has run, or a cached result stood in for it. */
export interface FinishedToolCall extends ToolHookCall {
  readonly result?: CallToolResult
  /** What the tool threw. */
  readonly error?: unknown
  readonly durationMs: number
  readonly fromCache: boolean
}

/** Hooks of one tool. */
export interface ToolHooksOptions {
  /** Before people are asked. What it throws denies the call. */
  before?(call: ToolHookCall, context: HookContext): BeforeTool | Promise<BeforeTool>
  /** After the tool, also where it failed. May give another result. What it throws makes the call an error. */
  after?(call: FinishedToolCall, context: HookContext): AfterTool | Promise<AfterTool>
  /** Middleware, inside the agent's own. */
  around?: readonly ToolHook[]
  /** Give the same result again for the same arguments. Hooks still run. */
  cache?: ToolCacheOptions
  /** For `before` and for `after`, each. Default: no limit. */
  timeoutMs?: number
}

/**
 * Hooks for one tool: `tool({ …, hooks: toolHooks({ before, after, around, cache }) })`.
 *
 * In this order: `before`, then people are asked, then the agent's tool hooks and `around`, then the cache or the tool, then
 * `after`. Never cached: errors, calls with rewritten arguments, calls that a hook answered, streams, results with anything but
 * text and JSON. Throws `bad-option` naming the option. Source: the hooks guide, "Tool hooks".
 */
export function toolHooks(options: ToolHooksOptions): ToolHookSet {
  checkOptions(options, RULES, { where: 'toolHooks' })
  const { before, after, cache: given, timeoutMs } = options
  const around = placeToolHooks(options.around ?? [], 'around')
  const cache = given && new ToolCache(given)
  const limit = timeoutMs !== undefined && { timeoutMs }
  const layer: CallLayer = {
    engine: CALL_ENGINE,
    around: (ready, next, scope) => {
      const run = (input?: JsonObject, within?: AbortSignal): Promise<CallToolResult> =>
        after === undefined && cache === undefined
          ? next(input, within)
          : finish({ ready, next, scope: { ...scope, ...(within && { within }) }, after, cache, limit }, input)
      return runMiddleware(around, { ready, next: run, scope, slot: 'around' })
    },
    ...(before !== undefined && {
      before: (ready: ReadyCall, scope: CallScope) => runBefore(before, { ready, scope, limit }),
    }),
  }
  return Object.freeze({ kind: 'tool-hooks', layer })
}

const RULES: OptionRules<ToolHooksOptions> = {
  before: isFunction,
  after: isFunction,
  around: (value) => (Array.isArray(value) ? undefined : 'must be a list of tool hooks'),
  cache: isObject,
  timeoutMs: isDelay(1),
}

async function runBefore(
  before: NonNullable<ToolHooksOptions['before']>,
  { ready, scope, limit }: { ready: ReadyCall; scope: CallScope; limit: false | { timeoutMs: number } },
): Promise<CallChange | undefined> {
  const place = { name: `${ready.tool.name}.before`, slot: 'before', callId: ready.call.callId, ...limit }
  const end = await runnerOf(scope.turn).run(place, (context) => before(callView(ready), context), { isPlain: true })
  if (end.hasThrown) {
    hearThrown(end.error, { hook: place.name, slot: place.slot }, scope)
    return { status: 'denied', result: textResult(describeThrown(end.error), true) }
  }
  const said = end.value
  if (!isJsonObject(said)) return undefined
  if (isJsonObject(said.input)) return { input: deepFreeze(structuredClone(said.input)) }
  if (typeof said.deny === 'string') return { status: 'denied', result: textResult(said.deny, true) }
  if (!('result' in said)) return undefined
  const result = await toCallToolResult(said.result, Number.POSITIVE_INFINITY)
  return { status: result.isError ? 'error' : 'ok', result }
}

interface Finish {
  readonly ready: ReadyCall
  readonly next: CallNext
  readonly scope: CallScope
  readonly after: ToolHooksOptions['after']
  readonly cache: ToolCache | undefined
  readonly limit: false | { timeoutMs: number }
}

/** The place of a call's result in the cache, where it may have one. */
function keyFor({ ready, scope, cache }: Finish, input: JsonObject | undefined): string | undefined {
  const isOwn = input === undefined && ready.modelInput === undefined
  if (cache === undefined || !isOwn) return undefined
  const key = cache.keyOf(ready.tool.name, ready.input, scope.turn)
  if (!begun.has(ready.call)) {
    begun.add(ready.call)
    return key
  }
  // Run twice by one hook, it has no result that stands for it.
  cache.drop(key)
  return undefined
}

/** The calls that have come to their tool, or its cache. */
const begun = new WeakSet<object>()

/** The cache or the tool, and `after` behind it. */
async function finish(given: Finish, input: JsonObject | undefined): Promise<CallToolResult> {
  const { ready, next, scope, after, cache, limit } = given
  const { turn, within } = scope
  const startedAt = turn.clock.now()
  const key = keyFor(given, input)
  const cached = key === undefined ? undefined : cache?.get(key, turn.clock)
  let end: { readonly result: CallToolResult } | { readonly error: unknown }
  try {
    const result = cached ?? (await next(input, within))
    if (cached === undefined && key !== undefined && !isStreamed(result)) cache?.put(key, result, turn.clock)
    end = { result }
  } catch (error) {
    end = { error }
  }
  if (after !== undefined && !turn.signal.aborted) {
    const view = { ...callView(ready), ...(input !== undefined && { input }) }
    const durationMs = Math.max(0, turn.clock.now() - startedAt)
    const finished: FinishedToolCall = { ...view, ...end, durationMs, fromCache: cached !== undefined }
    const place = {
      name: `${ready.tool.name}.after`,
      slot: 'after',
      callId: ready.call.callId,
      ...limit,
      ...(within && { within }),
    }
    const said = await runnerOf(turn).run(place, (context) => after(finished, context), { isPlain: true })
    if (said.hasThrown) {
      hearThrown(said.error, { hook: place.name, slot: place.slot }, scope)
      throw said.error
    }
    if (isJsonObject(said.value) && 'result' in said.value)
      return toCallToolResult(said.value.result, Number.POSITIVE_INFINITY)
  }
  if ('error' in end) throw end.error
  return end.result
}
