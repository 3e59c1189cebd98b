import { BackgroundHooks, type BackgroundOptions } from './background-hooks.ts'
import { checkOptions, isCount, isFunction, isObject, isOneOf, isText, type OptionRules } from './check-options.ts'
import { TurnloopError } from './errors.ts'
import type { Guardrail } from './guardrail.ts'
import { HookedTurn } from './hooked-turn.ts'
import type { HooksOptions, MergedHooks } from './hooks-options.ts'
import { isJsonObject } from './json.ts'
import { HOOK_STEPS } from './turn-close.ts'
import type { AgentHooks, HookSet } from './turn-hooks.ts'

/**
 * Hooks as one value, for `createAgent({ hooks })`. A list of such values merges: lists follow each other, of single values the
 * last counts.
 *
 * Throws `bad-option` naming the option, for a guardrail in the background too. Source: the hooks guide.
 */
export function defineHooks(options: HooksOptions): HookSet {
  checkOptions(options, RULES, { where: 'defineHooks' })
  checkOptions(options.background ?? {}, BACKGROUND_RULES, { where: 'defineHooks: background' })
  return createSet([{ ...options }])
}

const given = new WeakMap<HookSet, readonly HooksOptions[]>()

function optionsOf(set: HookSet): readonly HooksOptions[] {
  const options = given.get(set)
  if (options === undefined)
    throw new TurnloopError('bad-option', 'createAgent: "hooks" must be made by defineHooks(…).')
  return options
}

/** Several sets as one, in order. */
export function mergeHooks(...sets: readonly HookSet[]): HookSet {
  return createSet(sets.flatMap(optionsOf))
}

function createSet(options: readonly HooksOptions[]): HookSet {
  const set: HookSet = Object.freeze({
    kind: 'hooks',
    create: (sets: readonly HookSet[]) => createHooks(sets.flatMap(optionsOf)),
  })
  given.set(set, options)
  return set
}

function merge(sets: readonly HooksOptions[]): MergedHooks {
  const all: HooksOptions = Object.assign({}, ...sets)
  return {
    ...all,
    preHooks: sets.flatMap(({ preHooks = [] }) => preHooks),
    postHooks: sets.flatMap(({ postHooks = [] }) => postHooks),
    toolHooks: sets.flatMap((set) => set.toolHooks ?? []),
    toolGuardrails: sets.flatMap(({ toolGuardrails = [] }) => toolGuardrails),
    loop: sets,
  }
}

function createHooks(sets: readonly HooksOptions[]): AgentHooks {
  const merged = merge(sets)
  const background = new BackgroundHooks(merged.background ?? {})
  const { outputMode = 'off', postHooks = [] } = merged
  return {
    forTurn: (turn) => new HookedTurn(turn, merged, { background, steps: HOOK_STEPS }),
    judgesLater: outputMode === 'off' && postHooks.some(isGuardrail),
    settled: () => background.settled(),
  }
}

/** Whether an item of a list is a guardrail. */
export function isGuardrail(item: unknown): item is Guardrail {
  return isJsonObject(item) && item.kind === 'guardrail'
}

const hookList = (value: unknown): string | undefined => {
  if (!Array.isArray(value)) return 'must be a list of hooks'
  if (value.some((item) => isGuardrail(item) && 'isBackground' in item)) return 'holds a guardrail in the background'
  return value.every((item) => typeof item === 'function' || (isJsonObject(item) && typeof item.kind === 'string'))
    ? undefined
    : 'must hold functions, and what defineHook, defineGuardrail, defineEval or defineToolHook made'
}

const loopHook = (value: unknown): string | undefined =>
  [value].flat().every((item) => typeof item === 'function' || (isJsonObject(item) && item.kind === 'hook'))
    ? undefined
    : 'must be a function, what defineHook made, or a list of these'

const RULES: OptionRules<HooksOptions> = {
  preHooks: hookList,
  postHooks: hookList,
  toolHooks: hookList,
  toolGuardrails: (value) =>
    Array.isArray(value) && value.every(isGuardrail) ? undefined : 'must be a list of guardrails',
  beforeModelCall: loopHook,
  afterModelCall: loopHook,
  beforeToolCall: loopHook,
  afterToolCall: loopHook,
  afterTurn: loopHook,
  onCancel: loopHook,
  onError: loopHook,
  outputMode: (value) =>
    value === 'off' || value === 'buffer' || (isJsonObject(value) && isCount(1)(value.window) === undefined)
      ? undefined
      : "must be 'off', 'buffer' or { window: characters }",
  maxHookRetries: isCount(0),
  storeRejected: isOneOf('none', 'redacted', 'full'),
  safeMessage: isText,
  commitStateOn: isOneOf('completed', 'always'),
  backgroundHooks: isOneOf('marked', 'all'),
  background: isObject,
  redact: isFunction,
}

const BACKGROUND_RULES: OptionRules<BackgroundOptions> = {
  schedule: isFunction,
  concurrency: isCount(1),
  timeoutMs: isCount(1),
}
