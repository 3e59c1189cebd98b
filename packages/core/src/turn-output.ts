import { answerTool, type OutputSpec } from './answer-tool.ts'
import type { OutputFacts } from './decide.ts'
import type { ErrorRecord } from './errors.ts'
import type { LiveEventBody } from './events.ts'
import type { JsonValue } from './json.ts'
import type { LiveTurn } from './live-turn.ts'
import { type AssistantMessage, messageText, type ToolMessage } from './messages.ts'
import type { ModelRequest } from './model.ts'
import { checkOutput, type ParsedOutput, parseOutput } from './output-text.ts'
import { PartialOutput } from './partial-json.ts'
import type { Tool } from './tool.ts'

/** What the model reads of calls that come with the structured answer, when tools are off. */
export const ANSWERING_TEXT = 'Tools are off for this answer, so the call was not run.'

/** How much of an answer that does not fit its error quotes, in characters. */
const EXCERPT_LENGTH = 2000

/** Whether the schema is on, and tools are off, for what is asked now: policy `final`, once it has come to that. */
export function isFinalising(turn: LiveTurn): boolean {
  return turn.parts.output?.policy === 'final' && turn.fold.finalisers > 0
}

/** The request with what the turn's answer must be. */
export function withOutput(turn: LiveTurn, request: ModelRequest): ModelRequest {
  const spec = turn.parts.output
  if (spec === undefined) return request
  const output = { schema: spec.schema, name: spec.name }
  if (spec.policy === 'always') return { ...request, output }
  if (spec.policy === 'final') return isFinalising(turn) ? { ...request, tools: [], output } : request
  const answer = answerTool(spec, namesOf(request.tools))
  // Without other tools, and once an answer did not fit, nothing else is left to call.
  const isForced = request.tools.length === 0 || turn.fold.outputRepairs > 0
  return {
    ...request,
    tools: [...request.tools, answer],
    ...(isForced && { toolChoice: { toolName: answer.name } }),
  }
}

/** The answer tool as the loop runs it; `undefined` where the answer is not given by one. */
export function answerToolOf(turn: LiveTurn, tools: readonly Tool[]): Tool | undefined {
  const spec = turn.parts.output
  if (spec?.policy !== 'tool') return undefined
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

/** The answer that a settled batch brought, if it did; what was wrong with it, if that has happened too often. */
export async function readAnswerCall(turn: LiveTurn): Promise<OutputFacts | undefined> {
  const spec = turn.parts.output
  const last = turn.fold.messages.at(-1)
  if (spec?.policy !== 'tool' || last?.role !== 'tool') return undefined
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

/** How a reply that would end the turn stands to the schema; `undefined` where there is none. */
export async function judgeReply(turn: LiveTurn, reply: AssistantMessage): Promise<OutputFacts | undefined> {
  const spec = turn.parts.output
  if (spec === undefined || reply.stopReason === 'toolUse' || reply.partial) return undefined
  const text = messageText(reply)
  const parsed = await turn.abortable(parseOutput(text, spec))
  const isUnasked = spec.policy === 'final' && !isFinalising(turn)
  // Unasked, only what is nothing but the answer is taken for it.
  if (!(isUnasked && parsed.ok && parsed.rung === 'embedded') && take(turn, parsed)) return { state: 'fits' }
  if (isUnasked) return { state: 'unasked' }
  const isCut = reply.stopReason === 'maxTokens'
  const problems = isCut
    ? ['The output limit cut the answer off. Send a shorter one.']
    : parsed.ok
      ? []
      : parsed.problems
  const partial = parsed.ok ? undefined : parsed.partial
  return misfits(turn, spec, {
    problems,
    tries: turn.fold.outputRepairs,
    text,
    ...(partial !== undefined && { partial }),
  })
}

function take(turn: LiveTurn, parsed: ParsedOutput): boolean {
  if (parsed.ok) turn.answer = { value: parsed.value, json: parsed.json }
  return parsed.ok
}

function misfits(
  turn: LiveTurn,
  spec: OutputSpec,
  found: { problems: readonly string[]; tries: number; text: string; partial?: JsonValue },
): OutputFacts {
  const { problems, tries, text, partial } = found
  const error: ErrorRecord = {
    name: 'TurnloopError',
    code: 'output-invalid',
    message: `The answer of ${turn.parts.modelId} does not fit the schema "${spec.name}": ${problems[0] ?? 'nothing was found'}`,
    facts: { problems, text: text.slice(0, EXCERPT_LENGTH), ...(partial !== undefined && { partial }) },
  }
  return { state: 'misfits', problems, canRepair: tries < spec.retries, error }
}

function countMisfits(turn: LiveTurn, name: string): number {
  const answers = turn.fold.messages.filter((message): message is ToolMessage => message.role === 'tool')
  return answers
    .flatMap(({ results }) => results)
    .filter((result) => result.toolName === name && result.status === 'error').length
}

function namesOf(tools: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name))
}

/** Adds `partial-output` events to a reply's deltas, where the reply is to be the answer. */
export function watchOutput(
  turn: LiveTurn,
  request: ModelRequest,
  emit: (body: LiveEventBody) => void,
): (body: LiveEventBody) => void {
  const spec = turn.parts.output
  if (spec === undefined) return emit
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
