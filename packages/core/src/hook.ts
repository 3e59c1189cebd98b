import { checkOptions, isDelay, isFunction, isName, isOneOf, isSwitch, type OptionRules } from './check-options.ts'
import type { CheckTrigger, Guardrail } from './guardrail.ts'
import type { HookContext, InputView, ResultView } from './hook-context.ts'
import type { JsonObject } from './json.ts'
import type { StateDraft } from './state-draft.ts'

/** What a hook may say by what it returns; nothing means: go on. */
export type HookVerdict<Replacement = never> =
  | undefined
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing says so.
  | void
  /** Goes on in place of what was given: to the next hook, the model, the record and later history. */
  | { readonly replace: Replacement }
  /** May not go on, and why, for people. `data` goes along and must hold nothing that is secret. */
  | { readonly block: string; readonly trigger?: CheckTrigger; readonly data?: JsonObject }
  /** End the turn here, `completed`; `outcome.stoppedBy` is the hook's name. */
  | { readonly stop: string }
  /** Let the model read this and go on. Capped by `maxHookRetries`. */
  | { readonly retry: string }

/** A hook's function: sync or async, what it returns is awaited. */
export type HookFunction<Context, Replacement = never> = (
  context: Context,
) => HookVerdict<Replacement> | Promise<HookVerdict<Replacement>>

/** What a pre-hook is told. Assigning `input.text` is the same as `{ replace: text }`. */
export type PreHookContext<State = StateDraft> = HookContext<State> & { readonly input: InputView }

/** What a post-hook is told. Assigning `result.text` is the same as `{ replace: text }`. */
export type PostHookContext<State = StateDraft> = HookContext<State> & {
  readonly input: InputView
  readonly result: ResultView
}

/** A hook with a name, a time limit, or both. Made by `defineHook`. */
export interface Hook<Context, Replacement = never> {
  readonly kind: 'hook'
  readonly name: string
  /** Over it, the hook has failed. Default: no limit. */
  readonly timeoutMs?: number
  /** Runs after the turn has gone on, on copies; set by `background`. */
  readonly isBackground?: true
  readonly run: HookFunction<Context, Replacement>
}

/** Options of `defineHook`. */
export type HookOptions<Context, Replacement = never> = Omit<Hook<Context, Replacement>, 'kind' | 'isBackground'>

/**
 * Give a hook a name, which events, errors and outcomes carry, and a time limit.
 *
 * Throws `bad-option` naming the option. Source: the hooks guide.
 */
export function defineHook<Context, Replacement = never>(
  options: HookOptions<Context, Replacement>,
): Hook<Context, Replacement> {
  checkOptions(options, HOOK_RULES, { where: 'defineHook', required: ['name', 'run'] })
  return Object.freeze({ kind: 'hook', ...options })
}

const HOOK_RULES: OptionRules<HookOptions<unknown>> = { name: isName, timeoutMs: isDelay(1), run: isFunction }

/** How well an input or an answer did. Made by `defineEval`. */
export interface Eval {
  readonly kind: 'eval'
  readonly name: string
  readonly phase: 'input' | 'output'
  readonly timeoutMs?: number
  readonly isBackground?: true
  evaluate(context: PostHookContext): EvalScore | Promise<EvalScore>
}

/** What an eval finds: a score of any scale of its own, and whether that is enough. */
export interface EvalScore {
  readonly score: number
  readonly passed?: boolean
  readonly data?: JsonObject
}

/** Options of `defineEval`. */
export type EvalOptions = Omit<Eval, 'kind' | 'isBackground'> & {
  /** Run it after the turn has gone on. Default `false`. */
  readonly background?: boolean
}

/**
 * Define an eval: it scores an input (`preHooks`) or an answer (`postHooks`), and never blocks.
 *
 * Its result is an `eval-result` event and stands in `result.evals`; what it throws is a hook error. Of an input eval's
 * context `result` is that of nothing yet. Throws `bad-option` naming the option.
 */
export function defineEval(options: EvalOptions): Eval {
  checkOptions(options, EVAL_RULES, { where: 'defineEval', required: ['name', 'phase', 'evaluate'] })
  const { background: isLater, ...rest } = options
  return Object.freeze({ kind: 'eval', ...rest, ...(isLater && { isBackground: true as const }) })
}

const EVAL_RULES: OptionRules<EvalOptions> = {
  name: isName,
  phase: isOneOf('input', 'output'),
  timeoutMs: isDelay(1),
  evaluate: isFunction,
  background: isSwitch,
}

/** What may stand in `preHooks`. */
export type PreHook = HookFunction<PreHookContext, string> | Hook<PreHookContext, string> | Guardrail | Eval

/** What may stand in `postHooks`. */
export type PostHook = HookFunction<PostHookContext, string> | Hook<PostHookContext, string> | Guardrail | Eval

/**
 * Let a plain hook run in the background: after all blocking hooks of its list have passed, on copies taken then.
 *
 * It never delays the answer and cannot change or block the turn; what it throws is a `background-hook-failed` event.
 * `agent.settled()` waits for it. Source: the hooks guide, "Background".
 */
export function background<Context, Replacement = never>(
  hook: HookFunction<Context, Replacement> | Hook<Context, Replacement>,
): Hook<Context, Replacement> {
  // Without a name of its own: its place names it, since minifiers rename functions.
  const named = typeof hook === 'function' ? { kind: 'hook' as const, name: '', run: hook } : hook
  return Object.freeze({ ...named, isBackground: true })
}
