import { answerTool, createOutputSpec, finaliserText, type OutputSpec, repairText } from './answer-tool.ts'
import { checkOptions, isCount, isOneOf, type OptionRules } from './check-options.ts'
import type { OutputFacts } from './decide.ts'
import type { ErrorRecord } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { JsonValue } from './json.ts'
import { type AssistantMessage, messageText, type ToolMessage } from './messages.ts'
import type { ModelCapabilities, ModelRequest } from './model.ts'
import { checkOutput, type ParsedOutput, parseOutput } from './output-text.ts'
import { PartialOutput } from './partial-json.ts'
import type { OutputHandler } from './runner-parts.ts'
import type { RunningTurn } from './running-turn.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import type { Tool } from './tool.ts'

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
  const isFinalising = ({ fold }: RunningTurn): boolean => spec.policy === 'final' && fold.finalisers > 0
  return {
    isFinalising,
    request: (turn, request) => withOutput(request, spec, { isFinalising: isFinalising(turn), turn }),
    answerTool: (tools) => (spec.policy === 'tool' ? answerToolOf(spec, tools) : undefined),
    watch: (request, emit) => watchOutput(spec, request, emit),
    readBatch: (turn) => readBatch(turn, spec),
    judge: (turn, reply) => judge(turn, spec, { reply, isUnasked: spec.policy === 'final' && !isFinalising(turn) }),
    nudge: (facts) =>
      facts.state === 'misfits'
        ? { text: repairText(facts.problems, spec), kind: 'output-repair' }
        : { text: finaliserText(spec), kind: 'finaliser' },
  }
}

function withOutput(
  request: ModelRequest,
  spec: OutputSpec,
  { isFinalising, turn }: { isFinalising: boolean; turn: RunningTurn },
): ModelRequest {
  const output = { schema: spec.schema, name: spec.name }
  if (spec.policy === 'always') return { ...request, output }
  if (spec.policy === 'final') return isFinalising ? { ...request, tools: [], output } : request
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
function answerToolOf(spec: OutputSpec, tools: readonly Tool[]): Tool {
  return {
    ...answerTool(spec, namesOf(tools)),
    effect: 'read',
    exclusive: false,
    check: async (input) => {
      const checked = await checkOutput(input, spec)
      return checked.ok ? checked : { ok: false, problems: [...checked.problems] }
    },
    execute: () => 'Received.',
  }
}

async function readBatch(turn: RunningTurn, spec: OutputSpec): Promise<OutputFacts | undefined> {
  const last = turn.fold.messages.at(-1)
  if (spec.policy !== 'tool' || last?.role !== 'tool') return undefined
  const { name } = answerTool(spec, namesOf(await turn.abortable(turn.listTools())))
  const calls = last.results.filter(({ toolName }) => toolName === name)
  const given = calls.findLast(({ status }) => status === 'ok')
  const input = given && turn.fold.lastInputs.get(given.callId)?.input
  if (input !== undefined) {
    const parsed = await turn.abortable(checkOutput(input, spec))
    if (take(turn, parsed)) return { state: 'fits' }
  }
  const misfit = calls.find(({ status }) => status === 'error')
  if (misfit === undefined) return undefined
  const problems = misfit.result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return misfits(turn, spec, { problems, tries: countMisfits(turn, name) - 1 + turn.fold.outputRepairs, text: '' })
}

async function judge(
  turn: RunningTurn,
  spec: OutputSpec,
  { reply, isUnasked }: { reply: AssistantMessage; isUnasked: boolean },
): Promise<OutputFacts | undefined> {
  if (reply.stopReason === 'toolUse' || reply.partial) return undefined
  const text = messageText(reply)
  const parsed = await turn.abortable(parseOutput(text, spec))
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

function misfits(
  turn: RunningTurn,
  spec: OutputSpec,
  found: { problems: readonly string[]; tries: number; text: string; partial?: JsonValue },
): OutputFacts {
  const { problems, tries, text, partial } = found
  const error: ErrorRecord = {
    name: 'TurnloopError',
    code: 'output-invalid',
    message: `The answer of ${turn.modelId} does not fit the schema "${spec.name}": ${problems[0] ?? 'nothing was found'}`,
    facts: { problems, text: text.slice(0, EXCERPT_LENGTH), ...(partial !== undefined && { partial }) },
  }
  return { state: 'misfits', problems, canRepair: tries < spec.retries, error }
}

function countMisfits(turn: RunningTurn, name: string): number {
  const answers = turn.fold.messages.filter((message): message is ToolMessage => message.role === 'tool')
  return answers
    .flatMap(({ results }) => results)
    .filter((result) => result.toolName === name && result.status === 'error').length
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
  const answerName = spec.policy === 'tool' ? request.tools.at(-1)?.name : undefined
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
