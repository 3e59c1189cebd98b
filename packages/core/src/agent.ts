import { type AgentOptions, checkAgentOptions, checkTurnOptions, type TurnOverrides } from './agent-options.ts'
import { createOutputSpec, type OutputSpec } from './answer-tool.ts'
import { askModel } from './ask-model.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { CompactionParts } from './compaction.ts'
import { TurnloopError } from './errors.ts'
import { createMemoryLog, type LogWriter } from './log-writer.ts'
import type { CacheMarks, Model } from './model.ts'
import type { RunnerParts } from './runner-parts.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import { runToolBatch } from './tool-batch.ts'
import { ToolRunner, type TurnOptions } from './tool-runner.ts'
import { listAllTools, watchSources } from './tool-source.ts'
import type { TranscriptSource } from './transcript.ts'
import type { TurnInput } from './turn-input.ts'

/** An agent: what it is made of, and no conversation. Immutable, safe to share. */
export interface Agent<Output = unknown> {
  readonly name: string
  readonly model: Model
  /**
   * Start a turn without a session: nothing is stored, and `input` may be a whole transcript.
   *
   * Nothing runs until the runner is read. Throws `bad-input` for an input that cannot be asked and `bad-option` for an
   * option that cannot work.
   */
  turn<S extends AnySchema>(
    input: TurnInput,
    options: TurnOptions & TurnOverrides<S> & { output: S },
  ): ToolRunner<SchemaOutput<S>>
  turn(input: TurnInput, options?: TurnOptions & TurnOverrides): ToolRunner<Output>
  /** A new agent with some options changed; this one stays as it is. */
  with(overrides: Partial<AgentOptions>): Agent<Output>
  /** The parts of a runner that writes to a log of the caller's own. For sessions and custom loops. */
  parts(log: Pick<LogWriter, 'append'>, options?: PartsOptions): RunnerParts
  readonly clock: Clock
  readonly keepsHistory: boolean
}

/** What the parts of one runner may add to the agent's options. */
export interface PartsOptions extends TurnOverrides {
  history?: TranscriptSource
  sessionId?: string
  /** How many agents deep this one runs. */
  depth?: number
}

/**
 * Describe an agent: a model, its tools and how it works.
 *
 * Throws `bad-option` naming the option for anything that cannot work, unknown options and two tools of one name
 * included, so that a typo is found here and not in the middle of a conversation.
 */
export function createAgent<S extends AnySchema>(given: AgentOptions<S> & { output: S }): Agent<SchemaOutput<S>>
export function createAgent(given: AgentOptions): Agent<undefined>
export function createAgent(given: AgentOptions): Agent {
  checkAgentOptions(given)
  // What the caller does to its own objects later is not for an agent that is shared.
  const options = { ...given, tools: [...(given.tools ?? [])], settings: { ...given.settings } }
  const clock = options.clock ?? systemClock
  const output = outputSpec(options, {}, 'createAgent')
  const agent: Agent = {
    name: options.name ?? 'agent',
    model: options.model,
    clock,
    keepsHistory: options.history ?? true,
    turn(input: TurnInput, turnOptions: TurnOptions & TurnOverrides = {}) {
      checkTurnOptions(turnOptions)
      if (input === undefined) throw new TurnloopError('bad-input', 'turn: there is no input to ask about.')
      const { history, ...overrides } = turnOptions
      const parts = agent.parts(createMemoryLog(clock), overrides)
      return new ToolRunner(parts, input, { ...turnOptions, history: history ?? agent.keepsHistory })
    },
    // The caller keeps the type of the output, or gives another schema and knows better.
    with: (overrides: Partial<AgentOptions>) => createAgent({ ...options, ...overrides }) as Agent,
    parts: (log, partsOptions = {}) => createParts(agent, options, { log, output, overrides: partsOptions }),
  }
  return Object.freeze(agent)
}

interface Run {
  readonly log: Pick<LogWriter, 'append'>
  readonly output: OutputSpec | undefined
  readonly overrides: PartsOptions
}

function createParts(agent: Agent, options: AgentOptions, { log, output, overrides }: Run): RunnerParts {
  const { model, fallbackModels = [], retry = {}, timeouts = {}, instructions, tools = [] } = options
  const { clock } = agent
  const settings = { ...options.settings, ...overrides.settings }
  const spec = changesOutput(overrides) ? outputSpec(options, overrides, 'turn') : output
  const compaction = compactionParts(agent, options)
  const cacheMarks = marksOf(options.cacheMarks)
  return {
    agentName: agent.name,
    modelId: model.modelId,
    clock,
    maxIterations: overrides.maxIterations ?? options.maxIterations ?? 199,
    onMaxIterations: options.onMaxIterations ?? 'stop',
    toolResultMode: overrides.toolResultMode ?? options.toolResultMode ?? 'postprocess',
    repeatLimit: options.repeatLimit ?? 3,
    graceMs: options.graceMs ?? 800,
    settings,
    append: (...drafts) => log.append(...drafts),
    callModel: (request, call) =>
      askModel(request, { ...call, clock, retry, timeouts, models: [model, ...fallbackModels] }),
    listTools: (list) => listAllTools(tools, list),
    watchTools: (onChange) => watchSources(tools, onChange),
    runTools: (reply, batch) =>
      runToolBatch(reply, batch, {
        clock,
        execution: overrides.toolExecution ?? options.toolExecution ?? 'parallel',
        maxParallelTools: options.maxParallelTools ?? 8,
        maxResultBytes: options.maxResultBytes ?? 200_000,
        unknownTool: options.unknownTool ?? 'continue',
        whenUnsaved: options.whenUnsaved ?? 'skip',
        ...(options.repairToolCall !== undefined && { repairToolCall: options.repairToolCall }),
        ...(timeouts.toolMs !== undefined && { toolMs: timeouts.toolMs }),
      }),
    instructions: (context) => (typeof instructions === 'function' ? instructions(context) : instructions),
    ...(spec !== undefined && { output: spec }),
    ...(compaction !== undefined && { compaction }),
    ...(cacheMarks !== undefined && { cacheMarks }),
    ...(options.budget !== undefined && { budget: options.budget }),
    ...(timeouts.turnMs !== undefined && { turnMs: timeouts.turnMs }),
    ...(overrides.history !== undefined && { history: overrides.history }),
    ...(overrides.sessionId !== undefined && { sessionId: overrides.sessionId }),
    ...(overrides.depth !== undefined && { depth: overrides.depth }),
  }
}

function changesOutput({ output, outputPolicy, outputRetries }: TurnOverrides): boolean {
  return output !== undefined || outputPolicy !== undefined || outputRetries !== undefined
}

function outputSpec(options: AgentOptions, overrides: TurnOverrides, where: string): OutputSpec | undefined {
  const { output, outputPolicy = 'auto', outputRetries = 1 } = { ...options, ...definedOnly(overrides) }
  if (output === undefined) return undefined
  const { capabilities } = options.model
  const hasTools = (options.tools ?? []).length > 0
  return createOutputSpec(output, {
    policy: outputPolicy,
    retries: outputRetries,
    hasTools,
    capabilities,
    where: `${where}: output`,
  })
}

function definedOnly({ output, outputPolicy, outputRetries }: TurnOverrides): TurnOverrides {
  return {
    ...(output !== undefined && { output }),
    ...(outputPolicy !== undefined && { outputPolicy }),
    ...(outputRetries !== undefined && { outputRetries }),
  }
}

function compactionParts({ clock }: Agent, options: AgentOptions): CompactionParts | undefined {
  const { compaction = {}, model, fallbackModels = [], retry = {}, timeouts = {}, settings } = options
  if (compaction === false) return undefined
  const { threshold = 0.85, window, reserve, prompt, when, run } = compaction
  const models = [compaction.model ?? model, ...fallbackModels] as const
  return {
    threshold,
    windowTokens: window ?? model.contextWindow,
    reserveTokens: reserve ?? settings?.maxOutputTokens ?? 0,
    ...(prompt !== undefined && { prompt }),
    ...(when !== undefined && { when }),
    ...(run !== undefined && { run }),
    summarise: (request, { signal }) => {
      const ids = { mint: (id: string) => ({ callId: id, wireId: id }), find: () => undefined }
      const call = { signal, ids, messageId: crypto.randomUUID(), emit: () => {} }
      return askModel(request, { ...call, clock, retry, timeouts, models })
    },
  }
}

function marksOf(given: AgentOptions['cacheMarks']): CacheMarks | undefined {
  if (given === undefined || given === false) return undefined
  const { on = ['instructions', 'tools', 'messages'], providerOptions = DEFAULT_MARKS } = given === true ? {} : given
  return { on, providerOptions }
}

/** What providers that cache on request call it; the others cache by themselves, and ignore what is not theirs. */
const DEFAULT_MARKS: CacheMarks['providerOptions'] = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
  openrouter: { cacheControl: { type: 'ephemeral' } },
}
