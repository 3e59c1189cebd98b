import { type AgentOptions, checkAgentOptions, checkTurnOptions, type TurnOverrides } from './agent-options.ts'
import type { InDoubt } from './approvals.ts'
import { askModel } from './ask-model.ts'
import type { CompactingAgent } from './auto-compaction.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import { TurnloopError } from './errors.ts'
import { loggerFor, type SessionInfo, type TurnInfo } from './hook-context.ts'
import { deepFreeze, isJsonObject, type JsonObject } from './json.ts'
import { createMemoryLog, type LogWriter } from './log-writer.ts'
import { mergePatch } from './merge-patch.ts'
import type { CacheMarks, Model } from './model.ts'
import { toPlainJson } from './plain-json.ts'
import { randomId } from './random-id.ts'
import type { RunnerParts } from './runner-parts.ts'
import { runToolBatch } from './tool-batch.ts'
import { ToolRunner } from './tool-runner.ts'
import { listAllTools, watchSources } from './tool-source.ts'
import type { TranscriptSource } from './transcript.ts'
import type { AgentHooks } from './turn-hooks.ts'
import type { TurnInput } from './turn-input.ts'
import type { TurnFacts, TurnOptions } from './turn-options.ts'

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
  turn<O = Output>(input: TurnInput, options?: TurnOptions & TurnOverrides<O>): ToolRunner<O>
  /**
   * A new agent with some options changed; this one stays as it is. What is given takes the place of what was there, `hooks` and
   * `tools` too: to add to the hooks, give a list of sets.
   */
  with<O = Output>(overrides: Partial<AgentOptions<O>>): Agent<O>
  /** The parts of a runner that writes to a log of the caller's own. For sessions and custom loops. */
  parts(log: Pick<LogWriter, 'append'>, options?: PartsOptions): RunnerParts
  readonly clock: Clock
  readonly keepsHistory: boolean
  /** Whether growing text is shown before hooks have judged it, so that it must not be stored. */
  readonly judgesLater: boolean
  /** Resolves when none of its background hooks is left. */
  settled(): Promise<void>
  /** For the type of `result.output` only. */
  readonly types?: { readonly output: Output }
}

/** What the parts of one runner may add to the agent's options. */
export interface PartsOptions extends TurnOverrides, TurnFacts {
  history?: TranscriptSource
  sessionId?: string
  /** More of the session that the turn belongs to, and its state as stored. */
  session?: Omit<SessionInfo, 'id'>
  stored?: JsonObject
  inDoubt?: InDoubt
}

/**
 * Describe an agent: a model, its tools and how it works.
 *
 * Throws `bad-option` naming the option for anything that cannot work, unknown options and two tools of one name
 * included, so that a typo is found here and not in the middle of a conversation.
 */
export function createAgent<Output = undefined>(given: AgentOptions<Output>): Agent<Output> {
  checkAgentOptions(given)
  // What the caller does to its own objects later is not for an agent that is shared.
  const options = {
    ...given,
    tools: [...(given.tools ?? [])],
    fallbackModels: [...(given.fallbackModels ?? [])],
    settings: { ...given.settings },
    retry: { ...given.retry },
    timeouts: { ...given.timeouts },
    ...(given.budget && { budget: { ...given.budget } }),
  }
  const clock = options.clock ?? systemClock
  const sets = options.hooks === undefined ? [] : [options.hooks].flat()
  const hooks = sets[0]?.create(sets)
  const agent: Agent<Output> = {
    name: options.name ?? 'agent',
    model: options.model,
    clock,
    keepsHistory: options.history ?? true,
    judgesLater: hooks?.judgesLater ?? false,
    settled: () => hooks?.settled() ?? Promise.resolve(),
    turn<O = Output>(input: TurnInput, turnOptions: TurnOptions & TurnOverrides<O> = {}) {
      checkTurnOptions(turnOptions)
      if (input === undefined) throw new TurnloopError('bad-input', 'turn: there is no input to ask about.')
      const { history, ...overrides } = turnOptions
      const parts = agent.parts(createMemoryLog(clock), overrides)
      return new ToolRunner<O>(parts, input, { ...turnOptions, history: history ?? agent.keepsHistory })
    },
    // An output that is not changed stays what it was; the caller says so by leaving out `O`.
    with: <O = Output>(overrides: Partial<AgentOptions<O>>) =>
      createAgent({ ...options, ...overrides } as AgentOptions<O>),
    parts: (log, partsOptions = {}) => createParts(agent, options, { log, hooks, overrides: partsOptions }),
  }
  return Object.freeze(agent)
}

interface Run {
  readonly log: Pick<LogWriter, 'append'>
  readonly hooks: AgentHooks | undefined
  readonly overrides: PartsOptions
}

function createParts(agent: Agent, options: AgentOptions, { log, hooks, overrides }: Run): RunnerParts {
  const { model, fallbackModels = [], retry = {}, timeouts = {}, instructions, tools = [] } = options
  const { clock } = agent
  const settings = { ...options.settings, ...overrides.settings }
  const { capabilities } = model
  const output = (overrides.output ?? options.output)?.create({ hasTools: tools.length > 0, capabilities })
  const compaction = options.compaction?.create(compactingAgent(agent, options))
  const cacheMarks = marksOf(options.cacheMarks)
  const inDoubt = overrides.inDoubt && { inDoubt: overrides.inDoubt }
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
      askModel(request, { clock, retry, timeouts, models: [model, ...fallbackModels], ...call }),
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
        ...inDoubt,
        ...(options.repairToolCall !== undefined && { repairToolCall: options.repairToolCall }),
        ...(timeouts.toolMs !== undefined && { toolMs: timeouts.toolMs }),
      }),
    instructions: (context) => (typeof instructions === 'function' ? instructions(context) : instructions),
    ...(output !== undefined && { output }),
    ...(compaction !== undefined && { compaction }),
    ...(cacheMarks !== undefined && { cacheMarks }),
    ...(options.budget !== undefined && { budget: options.budget }),
    ...(timeouts.turnMs !== undefined && { turnMs: timeouts.turnMs }),
    ...(overrides.history !== undefined && { history: overrides.history }),
    ...(overrides.sessionId !== undefined && { sessionId: overrides.sessionId }),
    ...(hooks !== undefined && { hooks }),
    info: infoOf(agent, options, overrides),
    ...stateOf(options, overrides),
    ...(overrides.depth !== undefined && { depth: overrides.depth }),
    ...inDoubt,
  }
}

function infoOf({ name, model }: Agent, options: AgentOptions, given: PartsOptions): TurnInfo {
  const {
    sessionId,
    session = { turns: 0 },
    metadata = {},
    extra = {},
    userId = options.userId,
    debug = options.debug ?? false,
  } = given
  // A copy: what the caller does to its own later is not the turn's. What is no plain data is named.
  const plain = toPlainJson(metadata, 'metadata')
  return {
    debug,
    metadata: isJsonObject(plain) ? deepFreeze(plain) : {},
    extra: { ...extra },
    logger: loggerFor(options.logger, debug),
    agent: { name, modelId: model.modelId },
    ...(userId !== undefined && { userId }),
    ...(sessionId !== undefined && { session: { ...session, id: sessionId } }),
  }
}

/** The state as stored, and as the turn starts with it: its own over what is stored, over the agent's. */
function stateOf(options: AgentOptions, given: PartsOptions): Pick<RunnerParts, 'state' | 'startState'> {
  const { stored = {}, state, stateMode = 'merge' } = given
  if (state === undefined && options.state === undefined) return { state: stored }
  const before = mergePatch(options.state ?? {}, stored)
  const isWhole = stateMode === 'overwrite' && state !== undefined
  return { state: stored, startState: isWhole ? mergePatch({}, state) : mergePatch(before, state ?? {}) }
}

function compactingAgent({ clock }: Agent, options: AgentOptions): CompactingAgent {
  const { model, fallbackModels = [], retry = {}, timeouts = {}, settings } = options
  const ids = { mint: (id: string) => ({ callId: id, wireId: id }), find: () => undefined }
  return {
    model,
    clock,
    ...(settings?.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
    ask: (request, { model: writer, signal }) => {
      const call = { signal, ids, messageId: randomId(), emit: () => {} }
      return askModel(request, { ...call, clock, retry, timeouts, models: [writer, ...fallbackModels] })
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
