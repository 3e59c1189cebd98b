import { checkOptions, isDelay, isOneOf, isSwitch, isText, type OptionRules } from './check-options.ts'
import { ToolError, TurnloopError } from './errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import type { Message } from './messages.ts'
import { type AnySchema, type Checked, checkValue, type SchemaOutput, toJsonSchema } from './schema.ts'
import type { StateDraft } from './state-draft.ts'

/**
 * What may happen to the world when a tool runs twice.
 *
 * `'read'`: nothing; it is run again freely. `'idempotent'`: nothing more, given the same `idempotencyKey`. `'unsafe'`:
 * something; after a crash it is never run again on its own.
 */
export type ToolEffect = 'read' | 'idempotent' | 'unsafe'

/** A tool as the loop runs it. Made by `tool()`, or by a source (workers, MCP); the loop cannot tell them apart. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly title?: string
  /** Where it comes from: a worker, a server. Absent: it is the page's own. */
  readonly source?: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  readonly effect: ToolEffect
  /** Runs alone in its batch. */
  readonly exclusive: boolean
  readonly timeoutMs?: number
  /** Its result ends the turn: the model is not asked again. */
  readonly stopAfter?: boolean
  /** A person has to allow a call first: always, or where this says so of the checked arguments. */
  readonly needsApproval?: boolean | ((input: unknown, context: ApprovalContext) => boolean | Promise<boolean>)
  /** Fields of the arguments that a person fills in; the model is not told of them. */
  readonly askUser?: readonly string[]
  /** The host answers in the tool's place: `execute` is never called. */
  readonly isHostAnswered?: true
  /** Its own layer around each call: `toolHooks(…)`. */
  readonly hooks?: ToolHookSet
  /** Check parsed arguments; what it returns is what `execute` gets. */
  check(input: JsonObject): Promise<Checked>
  /** Run it. May return any value, a promise of one, or an async iterable. May throw. */
  execute(input: unknown, context: ToolContext): unknown
}

/** Hooks of one tool. Made by `toolHooks`. */
export interface ToolHookSet {
  readonly kind: 'tool-hooks'
  /** A `CallLayer`; what tools are made of knows nothing of turns. */
  readonly layer: unknown
}

/** What is known where it is decided whether a person has to be asked. */
export type ApprovalContext = Pick<ToolContext, 'callId' | 'messages' | 'turnId' | 'sessionId'>

/** What a tool is told about its call. */
export interface ToolContext {
  readonly callId: string
  /** The same over every attempt of this call: hand it to a server that should act only once. */
  readonly idempotencyKey: string
  /** Aborts on Stop and on the tool's own time limit. A tool that ignores it is abandoned after the grace time. */
  readonly signal: AbortSignal
  /** Show something while the call runs. Only the newest undelivered update is kept. */
  progress(update: JsonValue): void
  /** The transcript up to and including the message that made this call. */
  readonly messages: readonly Message[]
  readonly turnId: string
  readonly sessionId?: string
  /** The session's state: change it in place or assign a whole one. Stored with the call's result, when it has one. */
  state: StateDraft
  /** What the turn was given, of this turn alone. */
  readonly metadata: JsonObject
  /** What a tool that runs a turn of its own is given by the turn that called it. */
  readonly nested?: unknown
}

/** Tools that may change: a worker, a server, the page. Listed before a turn's first model call. */
export interface ToolSource {
  /** Throws when the source cannot be reached; the turn then fails before any model call. */
  list(options: { signal: AbortSignal }): Promise<readonly Tool[]>
  /** Calls `onChange` when the list is out of date; the loop lists again at its next step. */
  subscribe?(onChange: () => void): () => void
  /** Let go of what it holds. For whoever made it: agents share sources, and none of them disposes of one. */
  dispose?(): Promise<void>
}

/** Options of `tool()`. */
export interface ToolOptions<Input extends AnySchema = AnySchema> {
  /** Letters, digits, `_` and `-`, at most 64: what every provider takes. */
  name: string
  description: string
  title?: string
  /** Where it comes from, for hooks: a worker, a server. Absent: it is the page's own. */
  source?: string
  /** Schema of the arguments; absent: none are taken. */
  input?: Input
  /** Absent: the host answers, through `session.answer` or `result.resume`, and the turn waits for it. */
  execute?(input: SchemaOutput<Input>, context: ToolContext): unknown
  /** A person has to allow a call: always, or where this says so of its arguments. What it throws counts as yes. */
  needsApproval?: boolean | ((input: SchemaOutput<Input>, context: ApprovalContext) => boolean | Promise<boolean>)
  /** Fields of `input` that a person fills in. The model is not told of them, and the turn waits for them. */
  askUser?: readonly string[]
  /** Default `'unsafe'`. */
  effect?: ToolEffect
  /** Run alone, not beside the other calls of its batch. Default `false`. */
  exclusive?: boolean
  /** Abort the call after this long; at most 2^31 - 1. Default: no limit. */
  timeoutMs?: number
  /**
   * End the turn once it has run well: its result is the last word, and `outcome.stoppedBy` its name. Default `false`.
   */
  stopAfter?: boolean
  /** What runs before, around and after it, and a cache: `toolHooks(…)`. */
  hooks?: ToolHookSet
}

/**
 * Define a tool that runs in the page.
 *
 * Arguments reach `execute` parsed and checked; what it returns becomes an MCP `CallToolResult`, and what it throws
 * becomes an error result that the model reads. Throws `bad-option` for a name no provider takes, a schema that cannot be
 * shown to a model, and options that do not exist.
 */
export function tool<Input extends AnySchema>(options: ToolOptions<Input>): Tool {
  const where = `tool(${isJsonObject(options) ? JSON.stringify(options.name) : ''})`
  checkOptions(describedOptions(options), RULES, { where, required: ['name', 'description'] })
  const { input, execute, needsApproval, askUser } = options
  return Object.freeze({
    name: options.name,
    description: options.description,
    ...(options.title !== undefined && { title: options.title }),
    ...(options.source !== undefined && { source: options.source }),
    inputSchema: withoutFields(input === undefined ? NO_ARGUMENTS : toJsonSchema(input, `${where}.input`), askUser),
    effect: options.effect ?? 'unsafe',
    exclusive: options.exclusive ?? false,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options.stopAfter !== undefined && { stopAfter: options.stopAfter }),
    // The checked arguments have the schema's output type, as in `execute`.
    ...(needsApproval !== undefined && { needsApproval: needsApproval as NonNullable<Tool['needsApproval']> }),
    ...(askUser !== undefined && { askUser }),
    ...(options.hooks !== undefined && { hooks: options.hooks }),
    ...(execute === undefined && { isHostAnswered: true as const }),
    check: (value: JsonObject): Promise<Checked> =>
      input === undefined ? Promise.resolve({ ok: true, value }) : checkValue(input, value),
    // The schema produced this value, so it has the schema's output type; TypeScript cannot follow that through `check`.
    execute: (value: unknown, context: ToolContext): unknown => {
      if (execute === undefined) throw new ToolError('tool-failed', `${options.name} is answered by the host.`)
      return execute.call(options, value as SchemaOutput<Input>, context)
    },
  })
}

/** The schema without the fields that a person fills in. */
function withoutFields(schema: JsonObject, fields: readonly string[] | undefined): JsonObject {
  if (fields === undefined) return schema
  const { properties = {}, required = [], ...rest } = schema
  const isLeft = (name: unknown): boolean => !fields.some((field) => field === name)
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => isLeft(name))),
    required: Array.isArray(required) ? required.filter(isLeft) : [],
  }
}

const NO_ARGUMENTS: JsonObject = Object.freeze({ type: 'object', properties: {}, additionalProperties: false })

const RULES: OptionRules<ToolOptions> = {
  name: (value) => (isToolName(value) ? undefined : NAME_PROBLEM),
  description: isText,
  title: isText,
  source: isText,
  // Looked at where it is turned into a JSON Schema.
  input: () => undefined,
  execute: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  needsApproval: (value) =>
    typeof value === 'boolean' || typeof value === 'function' ? undefined : 'must be true, false or a function',
  askUser: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
      ? undefined
      : 'must be a list of field names',
  effect: isOneOf('read', 'idempotent', 'unsafe'),
  exclusive: isSwitch,
  timeoutMs: isDelay(1),
  stopAfter: isSwitch,
  hooks: (value) => (isJsonObject(value) && value.kind === 'tool-hooks' ? undefined : 'must be made by toolHooks(…)'),
}

/** The options without a JSON Schema that came along with the description of a tool: the one of `input` counts. */
function describedOptions(options: ToolOptions): ToolOptions {
  if (!isJsonObject(options) || options.input === undefined || !('inputSchema' in options)) return options
  const { inputSchema: _described, ...rest } = options
  return rest
}

const NAME_PROBLEM = 'must have 1 to 64 letters, digits, "_" or "-"'

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Throw `bad-option` for a tool name that some provider would refuse. */
export function checkToolName(name: unknown, where: string): void {
  if (!isToolName(name)) throw new TurnloopError('bad-option', `${where}: the name of a tool ${NAME_PROBLEM}.`)
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && TOOL_NAME.test(name)
}

/** Whether a call that may have run can be run once more without anybody being asked. Unknown effects are unsafe. */
export function mayRunAgain({ effect }: Tool): boolean {
  return effect === 'read' || effect === 'idempotent'
}

/** Whether an item of an agent's `tools` is a source rather than a tool. */
export function isToolSource(item: Tool | ToolSource): item is ToolSource {
  return 'list' in item && typeof item.list === 'function'
}

/** Throw `bad-option` unless an item of an agent's `tools` is a tool or a source. */
export function checkTool(item: unknown, where: string): void {
  if (!isJsonObject(item)) throw new TurnloopError('bad-option', `${where}: expected a tool or a tool source.`)
  if (typeof item.list === 'function') return
  checkToolName(item.name, where)
  if (typeof item.execute === 'function' && typeof item.check === 'function' && isJsonObject(item.inputSchema)) return
  throw new TurnloopError('bad-option', `${where}: expected a tool made by tool(), or a tool source.`)
}

/** The error of a call that ran over its time limit. */
export function timedOut(toolName: string, timeoutMs: number): ToolError {
  return new ToolError('tool-timed-out', `${toolName} did not finish within ${timeoutMs} ms.`, {
    facts: { toolName, timeoutMs },
  })
}
