import { askModel, type ModelTimeouts, type RetryOptions } from './ask-model.ts'
import {
  checkOptions,
  hasMethods,
  isCount,
  isDelay,
  isName,
  isObject,
  isOneOf,
  isSwitch,
  type OptionRules,
} from './check-options.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { TurnloopError } from './errors.ts'
import type { InstructionsContext, RunnerParts } from './live-turn.ts'
import type { Message } from './messages.ts'
import type { Model, ModelSettings } from './model.ts'
import { createMemoryLog, type LogWriter } from './session-log.ts'
import { checkTool, isToolSource, type Tool, type ToolSource } from './tool.ts'
import { runToolBatch } from './tool-batch.ts'
import { ToolRunner, type TurnOptions } from './tool-runner.ts'
import { listAllTools, watchSources } from './tool-source.ts'
import type { TurnInput } from './turn-input.ts'

/** Options of `createAgent`. */
export interface AgentOptions {
  /** For logs and events. Default `'agent'`. */
  name?: string
  model: Model
  /** Asked in order when the model has failed for good. */
  fallbackModels?: readonly Model[]
  /** How often a model call is tried, and how long it waits in between. Default: once. */
  retry?: RetryOptions
  /** How long a model call, and a tool without a limit of its own (`toolMs`), may take. Default: no limit. */
  timeouts?: ModelTimeouts & { readonly toolMs?: number }
  /** What the model is told first; a function is asked again before every model call. */
  instructions?: string | ((context: InstructionsContext) => string | undefined | Promise<string | undefined>)
  /** Tools, and sources of tools that may change. */
  tools?: readonly (Tool | ToolSource)[]
  settings?: ModelSettings
  /** How many tool batches may be settled; default 199. The model is asked at most once more than that. */
  maxIterations?: number
  /** Default `'parallel'`. Results keep call order either way. */
  toolExecution?: 'parallel' | 'sequential'
  /** How many calls of one batch run at once. Default 8. */
  maxParallelTools?: number
  /** A larger tool result is cut, and says so. Default 200,000. */
  maxResultBytes?: number
  /** How long tools get to stop after Stop; the end of a turn takes at most twice that. Default 800. */
  graceMs?: number
  /** `false`: each turn sees its own messages only. Default `true`. */
  history?: boolean
  /** Default: the machine's own. */
  clock?: Clock
}

/** An agent: what it is made of, and no conversation. Immutable, safe to share. */
export interface Agent {
  readonly name: string
  readonly model: Model
  /**
   * Start a turn without a session: nothing is stored, and `input` may be a whole transcript.
   *
   * Nothing runs until the runner is read. Throws `bad-input` for an input that cannot be asked and `bad-option` for an
   * option that cannot work.
   */
  turn(input: TurnInput, options?: TurnOptions & TurnOverrides): ToolRunner
  /** A new agent with some options changed; this one stays as it is. */
  with(overrides: Partial<AgentOptions>): Agent
  /** The parts of a runner that writes to a log of the caller's own. For sessions and custom loops. */
  parts(log: LogWriter, options?: PartsOptions): RunnerParts
  readonly clock: Clock
  readonly keepsHistory: boolean
}

/** Agent options that one turn may change for itself. */
export interface TurnOverrides {
  maxIterations?: number
  toolExecution?: 'parallel' | 'sequential'
  settings?: ModelSettings
}

/** What the parts of one runner may add to the agent's options. */
export interface PartsOptions extends TurnOverrides {
  history?: readonly Message[]
  sessionId?: string
}

/**
 * Describe an agent: a model, its tools and how it works.
 *
 * Throws `bad-option` naming the option for anything that cannot work, unknown options and two tools of one name
 * included, so that a typo is found here and not in the middle of a conversation.
 */
export function createAgent(given: AgentOptions): Agent {
  checkOptions(given, RULES, { where: 'createAgent', required: ['model'] })
  checkOptions(given.retry ?? {}, RETRY_RULES, { where: 'createAgent: retry' })
  checkOptions(given.timeouts ?? {}, TIMEOUT_RULES, { where: 'createAgent: timeouts' })
  checkTools(given.tools ?? [])
  // What the caller does to its own objects later is not for an agent that is shared.
  const options = { ...given, tools: [...(given.tools ?? [])], settings: { ...given.settings } }
  const clock = options.clock ?? systemClock
  const agent: Agent = {
    name: options.name ?? 'agent',
    model: options.model,
    clock,
    keepsHistory: options.history ?? true,
    turn(input, turnOptions = {}) {
      checkOptions(turnOptions, TURN_RULES, { where: 'turn' })
      if (input === undefined) throw new TurnloopError('bad-input', 'turn: there is no input to ask about.')
      const { maxIterations, toolExecution, settings } = turnOptions
      const parts = agent.parts(createMemoryLog(clock), {
        ...(maxIterations !== undefined && { maxIterations }),
        ...(toolExecution !== undefined && { toolExecution }),
        ...(settings !== undefined && { settings }),
      })
      return new ToolRunner(parts, input, { history: agent.keepsHistory, ...turnOptions })
    },
    with: (overrides) => createAgent({ ...options, ...overrides }),
    parts: (log, partsOptions = {}) => createParts(agent, options, { log, ...partsOptions }),
  }
  return Object.freeze(agent)
}

function createParts(agent: Agent, options: AgentOptions, turn: PartsOptions & { log: LogWriter }): RunnerParts {
  const { model, fallbackModels = [], retry = {}, timeouts = {}, instructions, tools = [] } = options
  const { clock } = agent
  const settings = { ...options.settings, ...turn.settings }
  return {
    agentName: agent.name,
    modelId: model.modelId,
    clock,
    maxIterations: turn.maxIterations ?? options.maxIterations ?? 199,
    graceMs: options.graceMs ?? 800,
    settings,
    append: (...drafts) => turn.log.append(...drafts),
    callModel: (request, call) =>
      askModel(request, { ...call, clock, retry, timeouts, models: [model, ...fallbackModels] }),
    listTools: async (list) => withLimit(await listAllTools(tools, list), timeouts.toolMs),
    watchTools: (onChange) => watchSources(tools, onChange),
    runTools: (reply, batch) =>
      runToolBatch(reply, batch, {
        clock,
        execution: turn.toolExecution ?? options.toolExecution ?? 'parallel',
        maxParallelTools: options.maxParallelTools ?? 8,
        maxResultBytes: options.maxResultBytes ?? 200_000,
      }),
    instructions: (context) => (typeof instructions === 'function' ? instructions(context) : instructions),
    ...(turn.history !== undefined && { history: turn.history }),
    ...(turn.sessionId !== undefined && { sessionId: turn.sessionId }),
  }
}

/** Tools that have no time limit of their own get the agent's. */
function withLimit(tools: readonly Tool[], timeoutMs: number | undefined): readonly Tool[] {
  if (timeoutMs === undefined) return tools
  return tools.map((tool) => (tool.timeoutMs === undefined ? { ...tool, timeoutMs } : tool))
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
  maxIterations: isCount(0),
  toolExecution: isOneOf('parallel', 'sequential'),
  maxParallelTools: isCount(1),
  maxResultBytes: isCount(1000),
  graceMs: isDelay(0),
  history: isSwitch,
  clock: (value) => (hasMethods(value, 'now', 'setTimer') ? undefined : 'must be a Clock'),
}

const RETRY_RULES: OptionRules<RetryOptions> = { attempts: isCount(1), baseDelayMs: isDelay(0), maxDelayMs: isDelay(0) }

const TIMEOUT_RULES: OptionRules<NonNullable<AgentOptions['timeouts']>> = {
  firstTokenMs: isDelay(1),
  idleMs: isDelay(1),
  stepMs: isDelay(1),
  toolMs: isDelay(1),
}

const { maxIterations, toolExecution, settings, history } = RULES

const TURN_RULES: OptionRules<TurnOptions & TurnOverrides> = {
  ...{ maxIterations, toolExecution, settings, history },
  signal: (value) => (hasMethods(value, 'addEventListener') ? undefined : 'must be an AbortSignal'),
  turnId: isName,
  reject: isOneOf('never', 'blocked', 'not-completed'),
  onEvent: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
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
