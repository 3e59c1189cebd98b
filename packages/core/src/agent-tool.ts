import { onAbort, TurnTimeLimit } from './abort.ts'
import type { Agent } from './agent.ts'
import { CallPaused } from './approvals.ts'
import { checkOptions, hasMethods, isFunction } from './check-options.ts'
import { type Entry, isEntry, isNested } from './entries.ts'
import { isTurnloopError, ToolError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { createMemoryLog, type LogWriter, SAVED } from './log-writer.ts'
import { type CallToolResult, messageText } from './messages.ts'
import type { Outcome } from './outcome.ts'
import { toPlainJson } from './plain-json.ts'
import { textResult } from './result-text.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import { type Tool, type ToolContext, tool } from './tool.ts'
import { ToolRunner } from './tool-runner.ts'
import { TurnFold } from './turn-fold.ts'
import type { TurnHost } from './turn-host.ts'
import { readInput, type TurnInput } from './turn-input.ts'
import { withHistory } from './with-history.ts'

/** How many agents may call each other in a row. */
const DEEPEST = 4

/** Options of `agentTool`. */
export interface AgentToolOptions<Input extends AnySchema = AnySchema> {
  name: string
  description: string
  title?: string
  /** What the calling model passes. Default: `{ task }`, a text. */
  input?: Input
  /** The agent's input, made of what was passed. Default: the text of `task`, else the arguments as JSON. */
  toInput?(input: SchemaOutput<Input>): TurnInput
}

/**
 * An agent as a tool of another one.
 *
 * It has a transcript of its own and sees nothing of the caller's; Stop reaches it, its usage counts for the caller's turn,
 * and its events come with the caller's, under `path`. Its entries go into the same log: after a crash it goes on where it
 * was, and its own unsafe tools never run twice. The result is its answer, structured where it has an output; an end other
 * than `completed` is an error result that says which. More than four agents deep, the call fails. Throws `bad-option` as
 * `tool` does. Source: the sub-agents guide.
 */
export function agentTool<Input extends AnySchema>(agent: Agent, options: AgentToolOptions<Input>): Tool {
  const { toInput, input: schema, ...described } = { ...options }
  checkOptions({ agent, toInput }, RULES, { where: 'agentTool', required: ['agent'] })
  return tool({
    ...described,
    input: schema ?? TASK,
    // What could do harm are its own tools, and those are guarded by the log they share with the caller's turn.
    effect: 'idempotent',
    execute: async (passed, context) => {
      // Checked by this very schema, where it is the caller's.
      const asked = toInput === undefined ? readTask(passed) : toInput(passed as SchemaOutput<Input>)
      const end = await runNested(agent, asked, context)
      const { outcome } = end.fold
      // Also where Stop came meanwhile: what came back is real.
      if (outcome?.kind === 'completed') return answerOf(end)
      if (outcome?.kind === 'awaiting') throw new CallPaused(outcome.pending)
      const told = describeEnd(options.name, end)
      if (mayHaveActed(end)) {
        const text = `${told}\nOne of its calls may or may not have taken effect.`
        throw new ToolError('tool-failed', text, { facts: { outcomeUnknown: true } })
      }
      context.signal.throwIfAborted()
      return textResult(told, true)
    },
  })
}

const RULES = {
  agent: (value: unknown) => (hasMethods(value, 'parts') ? undefined : 'must be an agent: make one with createAgent'),
  toInput: isFunction,
}

const TASK_JSON: JsonObject = {
  type: 'object',
  properties: { task: { type: 'string', description: 'The whole task, with all that is needed to do it.' } },
  required: ['task'],
}

const TASK: AnySchema = {
  '~standard': {
    version: 1,
    vendor: 'turnloop',
    jsonSchema: { input: () => ({ ...TASK_JSON }), output: () => ({ ...TASK_JSON }) },
    validate: (value) =>
      isJsonObject(value) && typeof value.task === 'string' && value.task.trim() !== ''
        ? { value }
        : { issues: [{ message: 'must be a text that says what to do', path: ['task'] }] },
  },
}

function readTask(passed: unknown): string {
  if (isJsonObject(passed) && typeof passed.task === 'string') return passed.task
  return JSON.stringify(toPlainJson(passed, 'input'))
}

/** Run the agent inside the turn that called it, from where the log says that it is. */
async function runNested(agent: Agent, asked: TurnInput, context: ToolContext): Promise<NestedEnd> {
  const { nested, signal, sessionId } = context
  // The loop hands it on without looking: tools in general know nothing of turns.
  const host = nested as TurnHost | undefined
  const depth = host?.depth ?? 1
  if (depth > DEEPEST) {
    throw new ToolError(
      'tool-failed',
      `Agents may call each other at most ${DEEPEST} deep. Do this without another agent.`,
    )
  }
  const place = host?.take() ? host : undefined
  const log = place ?? createMemoryLog(agent.clock)
  const before = [...log.entries]
  if (before.some(isEnd)) return readEnd(before)
  const append: LogWriter['append'] = (...drafts) => {
    const appended = log.append(...drafts)
    // Nobody waits for the last save of this turn: its caller writes to the same log, and waits for its own.
    return drafts.some(({ type }) => type === 'turn-ended') ? { ...appended, saved: SAVED } : appended
  }
  const { metadata } = context
  const parts = agent.parts(
    { append },
    {
      ...{ depth, metadata },
      ...(sessionId !== undefined && { sessionId }),
      ...(host?.inDoubt && { inDoubt: host.inDoubt }),
    },
  )
  const graceMs = Math.min(parts.graceMs, host?.graceMs ?? parts.graceMs)
  const stop = stopOf(signal)
  const options = {
    ...(place !== undefined && { turnId: place.turnId }),
    signal: stop.signal,
    onEvent: (event: TurnEvent) => {
      if (!isEntry(event)) place?.deliver(event)
    },
  }
  try {
    if (before.length === 0) await new ToolRunner({ ...parts, graceMs }, asked, options).untilDone()
    else {
      // A transcript that came along with the input is in no log.
      const { history } = readInput(asked, { id: '', createdAt: 0 })
      await ToolRunner.from(withHistory({ ...parts, graceMs }, history), before, options).untilDone()
    }
  } finally {
    stop.unlink()
  }
  const end = readEnd(log.entries)
  if (end.fold.outcome?.kind === 'awaiting') place?.leave()
  return end
}

/** The call's signal, where its own time limit is one of the agent's turn: nobody is said to have stopped it. */
function stopOf(signal: AbortSignal): { signal: AbortSignal; unlink(): void } {
  const controller = new AbortController()
  const unlink = onAbort(signal, () => {
    const { reason } = signal
    const ms = isTurnloopError(reason) && reason.code === 'tool-timed-out' ? reason.facts?.timeoutMs : undefined
    controller.abort(typeof ms === 'number' ? new TurnTimeLimit(ms) : reason)
  })
  return { signal: controller.signal, unlink }
}

function isEnd(entry: Entry): entry is Extract<Entry, { type: 'turn-ended' }> {
  return entry.type === 'turn-ended' && !isNested(entry)
}

/** How a nested turn ended. From the log alone: the page may have gone away between this end and that of the call. */
function readEnd(entries: readonly Entry[]): NestedEnd {
  const fold = new TurnFold()
  for (const entry of entries) fold.apply(entry)
  return { fold, output: entries.find(isEnd)?.output }
}

interface NestedEnd {
  readonly fold: TurnFold
  /** The structured answer. */
  readonly output: JsonValue | undefined
}

function answerOf({ fold, output }: NestedEnd): CallToolResult {
  const { outcome } = fold
  const said = outcome?.kind === 'completed' && outcome.stoppedBy !== undefined && lastWord(fold, outcome.stoppedBy)
  if (said) return said
  if (output === undefined) return textResult(textOf(fold))
  const structuredContent = isJsonObject(output) ? output : { result: output }
  return { ...textResult(JSON.stringify(output)), structuredContent }
}

function describeEnd(name: string, { fold }: NestedEnd): string {
  const text = textOf(fold)
  const soFar = text === '' ? '' : `\nIts text so far:\n${text}`
  return `The agent ${name} ended ${fold.outcome?.kind}${reasonOf(fold.outcome)}.${soFar}`
}

function textOf({ lastReply }: TurnFold): string {
  return lastReply === undefined ? '' : messageText(lastReply)
}

/** The result that ended a turn, where a tool did. */
function lastWord({ messages, lastInputs }: TurnFold, toolName: string): CallToolResult | undefined {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return undefined
  return last.results.find(({ callId, status }) => status === 'ok' && lastInputs.get(callId)?.toolName === toolName)
    ?.result
}

/** Whether what the agent did may still be going on. */
function mayHaveActed({ fold }: NestedEnd): boolean {
  return fold.messages.some(
    (message) => message.role === 'tool' && message.results.some(({ status }) => status === 'unknown'),
  )
}

function reasonOf(outcome: Outcome | undefined): string {
  if (outcome?.kind === 'failed') return `: ${outcome.error.message}`
  return outcome?.kind === 'no-progress' ? `: ${outcome.reason}` : ''
}
