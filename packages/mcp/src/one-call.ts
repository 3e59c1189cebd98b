import {
  type Agent,
  type CallToolResult,
  callModel,
  createMemoryLog,
  type Decision,
  type JsonObject,
  type Model,
  type Outcome,
  type PendingRequest,
  type RunnerParts,
  ToolRunner,
  type TurnResult,
} from '@turnloop/core'
import { abortable } from './abortable.ts'

/** Says what a person decided about a call. What it throws counts as no. */
export type DecideCall = (
  request: PendingRequest,
  options: { signal: AbortSignal },
) => Omit<Decision, 'id'> | Promise<Omit<Decision, 'id'>>

/** One call from outside of any conversation. */
export interface OneCall {
  readonly toolName: string
  readonly input: JsonObject
  readonly signal?: AbortSignal | undefined
  /** Told to the agent's hooks and tools as `metadata`. */
  readonly metadata: JsonObject
  readonly decide?: DecideCall | undefined
}

/**
 * Run one call of an agent's tool for somebody else: a turn of its own, without the agent's model and history.
 *
 * So all that guards a call in a turn guards it here: the check of its arguments, approval, hooks and guardrails, time
 * limits, the limit on results. What it changes of `context.state` ends with it. Never rejects: whatever goes wrong is a
 * result with `isError`; where a guardrail has rewritten the answer, the result is that text.
 */
export async function runOneCall(agent: Pick<Agent, 'parts' | 'clock'>, call: OneCall): Promise<CallToolResult> {
  const { toolName, decide, metadata, signal = new AbortController().signal } = call
  const inputText = JSON.stringify(call.input)
  try {
    const parts = partsFor(agent, askFor(toolName, inputText), metadata)
    const runner = new ToolRunner(parts, `Call ${toolName} with ${inputText}`, { signal, history: false })
    let result = await runner.untilDone()
    while (decide !== undefined && result.outcome.kind === 'awaiting' && result.resume !== undefined) {
      const decided = result.outcome.pending.map((request) => decideOne(decide, request, signal))
      result = await result.resume(await Promise.all(decided)).untilDone()
    }
    return answerOf(toolName, result)
  } catch (error) {
    return errorResult(`${toolName} could not be run: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What the agent runs calls with, and nothing that is for its own model. */
function partsFor(agent: Pick<Agent, 'parts' | 'clock'>, asking: Model, metadata: JsonObject): RunnerParts {
  const { clock } = agent
  const {
    output: _output,
    compaction: _compaction,
    cacheMarks: _cacheMarks,
    budget: _budget,
    instructions: _instructions,
    settings: _settings,
    ...parts
  } = agent.parts(createMemoryLog(clock), { metadata })
  return {
    ...parts,
    modelId: asking.modelId,
    maxIterations: 1,
    onMaxIterations: 'stop',
    // What checks answers checks the result, before it leaves the page.
    toolResultMode: 'passthrough',
    callModel: (request, options) => callModel(asking, request, { ...options, clock }),
  }
}

/** Asks for one call. A check that wants a better answer gets none: there is nobody to give it. */
function askFor(toolName: string, inputText: string): Model {
  let isAsked = false
  return {
    provider: 'none',
    modelId: 'none',
    async *stream() {
      if (isAsked) throw new TypeError('its result was sent back by a check')
      isAsked = true
      yield { type: 'tool-call', id: 'call', toolName, inputText }
      yield { type: 'finish', stopReason: 'toolUse' }
    },
  }
}

async function decideOne(decide: DecideCall, request: PendingRequest, signal: AbortSignal): Promise<Decision> {
  try {
    const ask = async (): Promise<Omit<Decision, 'id'>> => decide(request, { signal })
    return { ...(await abortable(ask(), signal)), id: request.id }
  } catch {
    return { id: request.id, allow: false }
  }
}

function answerOf(toolName: string, { outcome, messages, message, text }: TurnResult): CallToolResult {
  const [answered] = messages.flatMap((item) => (item.role === 'tool' ? item.results : []))
  const result = answered?.result
  // Of a turn that waits, the calls are not settled, whatever its transcript says.
  if (outcome.kind === 'awaiting')
    return errorResult(`${toolName}: a person has to decide first, and nobody was asked.`)
  if (outcome.kind === 'blocked') return errorResult(text || outcome.message || `${toolName} was refused by a check.`)
  if (outcome.kind !== 'completed')
    return result?.isError ? result : errorResult(`${toolName} did not come to an end: ${describe(outcome)}.`)
  if (result === undefined) return errorResult(text || `${toolName} was not run.`)
  const isRewritten = message?.synthetic === 'passthrough' && text !== passedText(result)
  return isRewritten ? { content: [{ type: 'text', text }], ...(result.isError && { isError: true }) } : result
}

/** The text of the answer that a turn makes of a result. */
function passedText({ content }: CallToolResult): string {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text
    if (block.type !== 'resource' || block.resource.blob !== undefined) return ''
    return block.resource.text ?? block.resource.uri
  })
  return texts.join('')
}

function describe(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.error.message : outcome.kind
}

/** A result that says what went wrong. */
function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
