import type { ModelTimeouts, RetryOptions } from './ask-model.ts'
import type { CompactionStrategy } from './auto-compaction.ts'
import {
  checkOptions,
  hasMethods,
  isCount,
  isDelay,
  isFunction,
  isName,
  isNumber,
  isObject,
  isOneOf,
  isSwitch,
  type OptionRules,
} from './check-options.ts'
import type { Clock } from './clock.ts'
import { TurnloopError } from './errors.ts'
import type { Logger } from './hook-context.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { CacheMarks, Model, ModelSettings } from './model.ts'
import type { RepairToolCall } from './repair-call.ts'
import type { InstructionsContext, TurnBudget } from './runner-parts.ts'
import type { StructuredOutput } from './structured.ts'
import { checkTool, isToolSource, type Tool, type ToolSource } from './tool.ts'
import type { HookSet } from './turn-hooks.ts'
import type { TurnOptions } from './turn-options.ts'

/** Options of `createAgent`. */
export interface AgentOptions<Output = unknown> {
  /** For logs and events. Default `'agent'`. */
  name?: string
  model: Model
  /** Asked in order when the model has failed for good. */
  fallbackModels?: readonly Model[]
  /** How often a model call is tried, and how long it waits in between. Default: three times. */
  retry?: RetryOptions
  /**
   * How long a model call, a tool without a limit of its own (`toolMs`) and a whole turn (`turnMs`) may take. Default: no
   * limit.
   */
  timeouts?: ModelTimeouts & { readonly toolMs?: number; readonly turnMs?: number }
  /** What the model is told first; a function is asked again before every model call. */
  instructions?: string | ((context: InstructionsContext) => string | undefined | Promise<string | undefined>)
  /** Tools, and sources of tools that may change. */
  tools?: readonly (Tool | ToolSource)[]
  settings?: ModelSettings
  /** What the answer of a turn must be: `structured(schema)`. Absent: text. */
  output?: StructuredOutput<Output>
  /** How many tool batches may be settled before the last one; default 199. With N, the model is asked at most N + 1 times. */
  maxIterations?: number
  /** `'answer'`: over that cap, ask once more with tools off, so that there is a text. Default `'stop'`. */
  onMaxIterations?: 'stop' | 'answer'
  /** What a turn may spend, checked before each further model call. Default: anything. */
  budget?: TurnBudget
  /** Default `'parallel'`. Results keep call order either way. */
  toolExecution?: 'parallel' | 'sequential'
  /** How many calls of one batch run at once. Default 8. */
  maxParallelTools?: number
  /** `'short-circuit'`: after an unknown tool name, no later call of the batch runs. Default `'continue'`. */
  unknownTool?: 'continue' | 'short-circuit'
  /** One try to mend a call that names no tool or does not fit its schema. */
  repairToolCall?: RepairToolCall
  /** How often the same call may come to the same result before it is refused; 0: any number. Default 3. */
  repeatLimit?: number
  /** `'passthrough'`: the results of the first batch are the answer, and the model is not asked again. Default `'postprocess'`. */
  toolResultMode?: 'postprocess' | 'passthrough'
  /** A larger tool result is cut, and says so. Default 200,000. */
  maxResultBytes?: number
  /** `'run'`: start a call with effects also where that could not be stored; a reload may run it twice. Default `'skip'`. */
  whenUnsaved?: 'skip' | 'run'
  /** How long tools get to stop after Stop; the end of a turn takes at most twice that. Default 800. */
  graceMs?: number
  /** `false`: each turn sees its own messages only. Default `true`. */
  history?: boolean
  /** How a long conversation is kept within the model's window: `autoCompaction()`. Absent: it is not. */
  compaction?: CompactionStrategy
  /** Prompt caching: `true`, or what is marked and how. Default: no marks. */
  cacheMarks?: boolean | Partial<CacheMarks>
  /** What watches, changes, checks and stops turns: `defineHooks({ … })`, or several of these, in order. */
  hooks?: HookSet | readonly HookSet[]
  /** The state that a session starts with. Plain JSON. */
  state?: JsonObject
  userId?: string
  /** Whether hooks see `debug`, and `debug` lines reach the logger. Default `false`. */
  debug?: boolean
  /** Where hooks log. Default: nowhere. `console` is one. */
  logger?: Logger
  /** Default: the machine's own. */
  clock?: Clock
}

/** Agent options that one turn may change for itself. */
export interface TurnOverrides<Output = unknown> {
  output?: StructuredOutput<Output>
  maxIterations?: number
  toolExecution?: 'parallel' | 'sequential'
  toolResultMode?: 'postprocess' | 'passthrough'
  settings?: ModelSettings
}

const RULES: OptionRules<AgentOptions> = {
  name: isName,
  model: (value) => (isModel(value) ? undefined : 'must be a Model: wrap an AI SDK model in aiSdkModel(…)'),
  fallbackModels: (value) => (Array.isArray(value) && value.every(isModel) ? undefined : 'must be a list of Models'),
  retry: isObject,
  timeouts: isObject,
  instructions: (value) =>
    typeof value === 'string' || typeof value === 'function' ? undefined : 'must be text or a function',
  tools: (value) => (Array.isArray(value) ? undefined : 'must be a list of tools and tool sources'),
  settings: isObject,
  output: (value) => (hasMethods(value, 'create') ? undefined : 'must be made by structured(…): wrap the schema in it'),
  maxIterations: isCount(0),
  onMaxIterations: isOneOf('stop', 'answer'),
  budget: isObject,
  toolExecution: isOneOf('parallel', 'sequential'),
  maxParallelTools: isCount(1),
  unknownTool: isOneOf('continue', 'short-circuit'),
  repairToolCall: isFunction,
  repeatLimit: isCount(0),
  toolResultMode: isOneOf('postprocess', 'passthrough'),
  maxResultBytes: isCount(1000),
  whenUnsaved: isOneOf('skip', 'run'),
  graceMs: isDelay(0),
  history: isSwitch,
  compaction: (value) => (hasMethods(value, 'create') ? undefined : 'must be made by autoCompaction(…)'),
  cacheMarks: (value) => (typeof value === 'boolean' ? undefined : isObject(value)),
  hooks: (value) =>
    [value].flat().every((set) => hasMethods(set, 'create'))
      ? undefined
      : 'must be made by defineHooks(…), or a list of such',
  state: isObject,
  userId: isName,
  debug: isSwitch,
  logger: (value) =>
    hasMethods(value, 'debug', 'info', 'warn', 'error') ? undefined : 'must be a logger, as console is',
  clock: (value) => (hasMethods(value, 'now', 'setTimer') ? undefined : 'must be a Clock'),
}

const SETTING_RULES: OptionRules<ModelSettings> = {
  temperature: isNumber,
  maxOutputTokens: isCount(1),
  topP: isNumber,
  topK: isNumber,
  presencePenalty: isNumber,
  frequencyPenalty: isNumber,
  stopSequences: (value) =>
    Array.isArray(value) && value.every((text) => typeof text === 'string') ? undefined : 'must be a list of texts',
  seed: isNumber,
  reasoning: isOneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  headers: isObject,
  providerOptions: isObject,
}

const RETRY_RULES: OptionRules<RetryOptions> = {
  attempts: isCount(1),
  baseDelayMs: isDelay(0),
  maxDelayMs: isDelay(0),
  restart: isSwitch,
}

const TIMEOUT_RULES: OptionRules<NonNullable<AgentOptions['timeouts']>> = {
  firstTokenMs: isDelay(1),
  idleMs: isDelay(1),
  stepMs: isDelay(1),
  toolMs: isDelay(1),
  turnMs: isDelay(1),
}

const BUDGET_RULES: OptionRules<TurnBudget> = {
  totalTokens: isCount(1),
  outputTokens: isCount(1),
  cost: (value) => (typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0'),
  priceOf: isFunction,
}

const CACHE_RULES: OptionRules<CacheMarks> = {
  on: (value) =>
    Array.isArray(value) && value.every((place) => ['instructions', 'tools', 'messages'].includes(place))
      ? undefined
      : "must be a list of 'instructions', 'tools' and 'messages'",
  providerOptions: isObject,
}

const { output, maxIterations, toolExecution, toolResultMode, settings, history } = RULES

const TURN_RULES: OptionRules<TurnOptions & TurnOverrides> = {
  ...{ output, maxIterations, toolExecution, toolResultMode, settings, history },
  signal: (value) => (hasMethods(value, 'addEventListener') ? undefined : 'must be an AbortSignal'),
  turnId: isName,
  userId: isName,
  debug: isSwitch,
  metadata: isObject,
  state: isObject,
  stateMode: isOneOf('merge', 'overwrite'),
  extra: isObject,
  depth: isCount(0),
  reject: isOneOf('never', 'blocked', 'not-completed'),
  onEvent: isFunction,
}

/** Throw `bad-option`, naming the option, for what no agent can be made of. */
export function checkAgentOptions(given: AgentOptions): void {
  const where = 'createAgent'
  checkOptions(given, RULES, { where, required: ['model'] })
  checkOptions(given.settings ?? {}, SETTING_RULES, { where: `${where}: settings` })
  checkOptions(given.retry ?? {}, RETRY_RULES, { where: `${where}: retry` })
  checkOptions(given.timeouts ?? {}, TIMEOUT_RULES, { where: `${where}: timeouts` })
  if (isJsonObject(given.cacheMarks))
    checkOptions<Partial<CacheMarks>>(given.cacheMarks, CACHE_RULES, { where: `${where}: cacheMarks` })
  const { budget = {} } = given
  const required = budget.cost === undefined ? [] : (['priceOf'] as const)
  checkOptions(budget, BUDGET_RULES, { where: `${where}: budget`, required })
  checkTools(given.tools ?? [])
}

/** Throw `bad-option`, naming the option, for what no turn can be started with. */
export function checkTurnOptions(given: TurnOptions & TurnOverrides): void {
  checkOptions(given, TURN_RULES, { where: 'turn' })
  checkOptions(given.settings ?? {}, SETTING_RULES, { where: 'turn: settings' })
}

function checkTools(tools: readonly (Tool | ToolSource)[]): void {
  const names = new Set<string>()
  for (const [index, item] of tools.entries()) {
    checkTool(item, `createAgent: tools[${index}]`)
    if (isToolSource(item)) continue
    if (names.has(item.name)) throw new TurnloopError('bad-option', `createAgent: two tools are named "${item.name}".`)
    names.add(item.name)
  }
}

function isModel(value: unknown): boolean {
  return hasMethods(value, 'stream')
}
