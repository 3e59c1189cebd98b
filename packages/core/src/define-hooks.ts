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
function isGuardrail(item: unknown): item is Guardrail {
  return isJsonObject(item) && item.kind === 'guardrail'
}

/** What is wrong with an item of a list that takes these kinds, for these phases: elsewhere it would never run. */
function faultOf(item: unknown, kinds: readonly string[], phases: readonly string[]): string | undefined {
  if (!isJsonObject(item) || typeof item.kind !== 'string' || !kinds.includes(item.kind))
    return `must hold ${kinds.join(', ')}: what defineHook and its like made`
  if (isGuardrail(item) && 'isBackground' in item) return 'holds a guardrail in the background'
  const own = [item.phases ?? item.phase ?? phases].flat().map(String)
  return own.some((phase) => phases.includes(phase))
    ? undefined
    : `holds "${item.name}", which is for ${own.join(', ')} alone`
}

/** Of hooks of some kinds; functions are hooks too. */
const listOf =
  (kinds: readonly string[], ...phases: readonly string[]) =>
  (value: unknown): string | undefined => {
    if (!Array.isArray(value)) return 'must be a list of hooks'
    const takesFunctions = kinds[0] !== 'guardrail'
    for (const item of value) {
      const fault = takesFunctions && isFunction(item) === undefined ? undefined : faultOf(item, kinds, phases)
      if (fault !== undefined) return fault
    }
    return undefined
  }

const loopHook = (value: unknown): string | undefined =>
  [value].flat().every((item) => typeof item === 'function' || (isJsonObject(item) && item.kind === 'hook'))
    ? undefined
    : 'must be a function, what defineHook made, or a list of these'

const RULES: OptionRules<HooksOptions> = {
  preHooks: listOf(['hook', 'guardrail', 'eval'], 'input'),
  postHooks: listOf(['hook', 'guardrail', 'eval'], 'output'),
  toolHooks: listOf(['tool-hook'], 'any'),
  toolGuardrails: listOf(['guardrail'], 'tool-input', 'tool-result'),
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
