import { answerTool, createOutputSpec, finaliserText, type OutputSpec, repairText } from './answer-tool.ts'
import { checkOptions, isCount, isOneOf, type OptionRules } from './check-options.ts'
import type { OutputFacts } from './decide.ts'
import type { ErrorRecord } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import {
  type AssistantMessage,
  clientCalls,
  type Message,
  messageText,
  resultText,
  type ToolResult,
} from './messages.ts'
import type { ModelCapabilities, ModelRequest } from './model.ts'
import { checkOutput, type ParsedOutput, parseOutput } from './output-text.ts'
import { PartialOutput } from './partial-json.ts'
import { REPEATED_TEXT } from './result-text.ts'
import type { OutputHandler } from './runner-parts.ts'
import type { RunningTurn } from './running-turn.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import type { Tool } from './tool.ts'
import { resolveTool } from './tool-plan.ts'

/** What the answer of an agent, or of one turn, must be. Made by `structured`. */
export interface StructuredOutput<Output = unknown> {
  /** For the type of `result.output` only. */
  readonly types?: { readonly output: Output }
  create(made: { hasTools: boolean; capabilities: ModelCapabilities | undefined }): OutputHandler
}

/** Options of `structured`. */
export interface StructuredOptions {
  /**
   * How the model is brought to give the answer. `'always'`: the schema goes along with every call. `'final'`: tools first,
   * then one more call with the schema and without tools. `'tool'`: as the arguments of an answer tool. Default `'auto'`: by
   * what the model can do and whether there are tools.
   */
  policy?: 'auto' | OutputSpec['policy']
  /** How often an answer that does not fit may be asked for again. Default 1. */
  retries?: number
}

/** How much of an answer that does not fit its error quotes, in characters. */
const EXCERPT_LENGTH = 2000

/**
 * An answer that fits a schema: `output` of an agent or a turn. `result.output` is what the schema makes of it.
 *
 * A turn that cannot give it ends `failed` with `output-invalid`, all work kept. Throws `bad-option` for a schema that cannot
 * be shown to a model or is not an object at its top. Source: the structured output guide.
 */
export function structured<S extends AnySchema>(
  schema: S,
  options: StructuredOptions = {},
): StructuredOutput<SchemaOutput<S>> {
  const where = 'structured'
  checkOptions(options, RULES, { where })
  const { policy = 'auto', retries = 1 } = options
  // Made once here, so that a schema which cannot work is found where it is written.
  const base = { policy, retries, where }
  createOutputSpec(schema, { ...base, hasTools: false, capabilities: undefined })
  return { create: (made) => handlerOf(createOutputSpec(schema, { ...base, ...made })) }
}

const RULES: OptionRules<StructuredOptions> = {
  policy: isOneOf('auto', 'always', 'final', 'tool'),
  retries: isCount(0),
}

function handlerOf(spec: OutputSpec): OutputHandler {
  const checked: CheckedInputs = new WeakMap()
  return {
    isFinalising: (turn) => isFinalising(turn, spec),
    request: (turn, request, isLast) => withOutput(turn, spec, { request, isLast }),
    answerTool: (tools) => (spec.policy === 'tool' ? answerToolOf(spec, tools, checked) : undefined),
    watch: (request, emit) => watchOutput(spec, request, emit),
    readBatch: (turn) => readBatch(turn, spec, checked),
    judge: (turn, reply) => judge(turn, spec, reply),
    nudge: (facts) =>
      facts.state === 'misfits'
        ? { text: repairText(facts.problems, spec), kind: 'output-repair' }
        : { text: finaliserText(spec), kind: 'finaliser' },
  }
}

function isFinalising({ fold }: RunningTurn, { policy }: OutputSpec): boolean {
  return policy === 'final' && fold.finalisers > 0
}

function withOutput(
  turn: RunningTurn,
  spec: OutputSpec,
  { request, isLast }: { request: ModelRequest; isLast: boolean },
): ModelRequest {
  const output = { schema: spec.schema, name: spec.name }
  if (spec.policy === 'always') return { ...request, output }
  if (spec.policy === 'final') return isLast || isFinalising(turn, spec) ? { ...request, tools: [], output } : request
  if (isLast) return request
  const answer = answerTool(spec, namesOf(request.tools))
  // Without other tools, and once an answer did not fit, nothing else is left to call.
  const isForced = request.tools.length === 0 || turn.fold.outputRepairs > 0
  return {
    ...request,
    tools: [...request.tools, answer],
    ...(isForced && { toolChoice: { toolName: answer.name } }),
  }
}

/** The answer tool as the loop runs it. */
function answerToolOf(spec: OutputSpec, tools: readonly Tool[], checked: CheckedInputs = new WeakMap()): Tool {
  return {
    ...answerTool(spec, namesOf(tools)),
    effect: 'read',
    exclusive: false,
    check: async (input) => {
      const parsed = await checkOutput(input, spec)
      checked.set(input, parsed)
      return parsed.ok ? parsed : { ok: false, problems: [...parsed.problems] }
    },
    execute: () => 'Received.',
  }
}

/** What a check gave, by the very arguments: a schema may ask a server, and is asked once. */
type CheckedInputs = WeakMap<JsonObject, ParsedOutput>

async function readBatch(
  turn: RunningTurn,
  spec: OutputSpec,
  checked: CheckedInputs,
): Promise<OutputFacts | undefined> {
  const { messages, lastInputs } = turn.fold
  if (spec.policy !== 'tool') return isFinalising(turn, spec) ? misfits(turn, spec, calledTools(messages)) : undefined
  const tools = await turn.abortable(turn.listTools())
  const answer = answerToolOf(spec, tools)
  const isAnswer = ({ callId, toolName }: ToolResult): boolean =>
    resolveTool(lastInputs.get(callId)?.toolName ?? toolName, [...tools, answer]) === answer
  const answersIn = (message: Message, index: number): readonly ToolResult[] =>
    message.role === 'tool' && isBatch(messages, index) ? message.results.filter(isAnswer) : []
  const latest = messages.slice(-1).flatMap((message) => answersIn(message, messages.length - 1))
  const given = latest.findLast(({ status }) => status === 'ok')
  const input = given && lastInputs.get(given.callId)?.input
  const parsed = isJsonObject(input)
    ? (checked.get(input) ?? (await turn.abortable(checkOutput(input, spec))))
    : undefined
  if (parsed && take(turn, parsed)) return { state: 'fits' }
  if (!parsed && !latest.some(isMisfit)) return undefined
  const tries = messages.map(answersIn).filter((results) => results.some(isMisfit))
  const last = tries.flat().findLast(({ status }) => status === 'error')
  return misfits(turn, spec, {
    problems: parsed?.ok === false ? parsed.problems : [last ? resultText(last.result) : ''],
    tries: Math.max(0, tries.length - 1) + turn.fold.outputRepairs,
    text: writtenFor(latest.at(-1), messages.at(-2)),
  })
}

/** The arguments of a call as the model wrote them. */
function writtenFor(result: ToolResult | undefined, reply: Message | undefined): string {
  const calls = reply?.role === 'assistant' ? clientCalls(reply) : []
  return calls.find(({ callId }) => callId === result?.callId)?.inputText ?? ''
}

/** What was called although tools are off is no answer; how often, since it was asked for. */
function calledTools(messages: readonly Message[]): Misfit {
  const asked = messages.findLastIndex((message) => message.role === 'user' && message.synthetic === 'finaliser')
  const tries = messages.filter((_message, index) => index > asked && isBatch(messages, index)).length - 1
  return { problems: ['It calls tools, which are off, in place of an answer.'], tries, text: '' }
}

/** Whether a message answers calls that a whole reply made, rather than calls that were cut off. */
function isBatch(messages: readonly Message[], index: number): boolean {
  const before = messages[index - 1]
  return messages[index]?.role === 'tool' && before?.role === 'assistant' && before.stopReason === 'toolUse'
}

/** Refused by the schema, or the same once more after that. */
function isMisfit({ status, result }: ToolResult): boolean {
  return status === 'error' || resultText(result) === REPEATED_TEXT
}

async function judge(turn: RunningTurn, spec: OutputSpec, reply: AssistantMessage): Promise<OutputFacts | undefined> {
  turn.answer = undefined
  if (reply.stopReason === 'toolUse' || reply.partial) return undefined
  const text = messageText(reply)
  const parsed = await turn.abortable(parseOutput(text, spec))
  const isUnasked = spec.policy === 'final' && !isFinalising(turn, spec) && reply.synthetic === undefined
  // Unasked, only what is nothing but the answer is taken for it.
  if (!(isUnasked && parsed.ok && parsed.rung === 'embedded') && take(turn, parsed)) return { state: 'fits' }
  if (isUnasked) return { state: 'unasked' }
  const isCut = reply.stopReason === 'maxTokens'
  const found = parsed.ok ? [] : parsed.problems
  const partial = parsed.ok ? undefined : parsed.partial
  return misfits(turn, spec, {
    problems: isCut ? ['The output limit cut the answer off. Send a shorter one.'] : found,
    tries: turn.fold.outputRepairs,
    text,
    ...(partial !== undefined && { partial }),
  })
}

function take(turn: RunningTurn, parsed: ParsedOutput): boolean {
  if (parsed.ok) turn.answer = { value: parsed.value, json: parsed.json }
  return parsed.ok
}

interface Misfit {
  readonly problems: readonly string[]
  /** How often it has been asked for again. */
  readonly tries: number
  readonly text: string
  readonly partial?: JsonValue
}

function misfits(turn: RunningTurn, spec: OutputSpec, found: Misfit): OutputFacts {
  const { problems, tries, text, partial } = found
  const error: ErrorRecord = {
    name: 'TurnloopError',
    code: 'output-invalid',
    message: `The answer of ${turn.modelId} does not fit the schema "${spec.name}": ${problems[0] ?? 'nothing was found'}`,
    facts: { problems, text: text.slice(0, EXCERPT_LENGTH), ...(partial !== undefined && { partial }) },
  }
  return { state: 'misfits', problems, canRepair: tries < spec.retries, error }
}

function namesOf(tools: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name))
}

/** Adds `partial-output` events to a reply's deltas, where the reply is to be the answer. */
function watchOutput(
  spec: OutputSpec,
  request: ModelRequest,
  emit: (body: LiveEventBody) => void,
): (body: LiveEventBody) => void {
  // The last answer of a turn that is over its cap is asked for without any tool.
  const hasTool = spec.policy === 'tool' && request.toolChoice !== 'none'
  const answerName = hasTool ? request.tools.at(-1)?.name : undefined
  const isAnswer = (body: LiveEventBody): boolean =>
    body.type === 'text-delta'
      ? request.output !== undefined
      : body.type === 'tool-input-delta' && body.toolName === answerName
  let growing: { readonly key: string; readonly output: PartialOutput } | undefined
  return (body) => {
    emit(body)
    if ((body.type !== 'text-delta' && body.type !== 'tool-input-delta') || !isAnswer(body)) return
    // A new part, or the reply of another try, begins a new answer.
    const key = `${body.messageId} ${body.partIndex}`
    if (growing?.key !== key) growing = { key, output: new PartialOutput() }
    const value = growing.output.add(body.delta)
    if (value !== undefined) emit({ type: 'partial-output', messageId: body.messageId, value })
  }
}
