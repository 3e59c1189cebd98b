import type { Agent } from './agent.ts'
import { CallPaused } from './approvals.ts'
import { isEntry, isNested } from './entries.ts'
import { ToolError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import type { CallToolResult } from './messages.ts'
import type { Outcome } from './outcome.ts'
import { toPlainJson } from './plain-json.ts'
import { textResult } from './result-text.ts'
import type { AnySchema, SchemaOutput } from './schema.ts'
import { type Tool, type ToolContext, tool } from './tool.ts'
import { ToolRunner } from './tool-runner.ts'
import { TurnFold } from './turn-fold.ts'
import type { TurnHost } from './turn-host.ts'
import type { TurnInput } from './turn-input.ts'
import { createResult, type TurnResult } from './turn-result.ts'

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
  const { toInput, input: schema, ...described } = options
  return tool({
    ...described,
    input: schema ?? TASK,
    // What could do harm are its own tools, and those are guarded by the log they share with the caller's turn.
    effect: 'idempotent',
    execute: async (passed, context) => {
      // Checked by this very schema, where it is the caller's.
      const asked = toInput === undefined ? readTask(passed) : toInput(passed as SchemaOutput<Input>)
      const result = await runNested(agent, asked, context)
      if (context.signal.aborted) throw context.signal.reason
      if (result.outcome.kind === 'awaiting') throw new CallPaused(result.outcome.pending)
      return describe(options.name, result)
    },
  })
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
async function runNested(agent: Agent, asked: TurnInput, { nested, signal }: ToolContext): Promise<TurnResult> {
  // The loop hands it on without looking: tools in general know nothing of turns.
  const host = nested as TurnHost | undefined
  if (host === undefined) return agent.turn(asked, { signal }).untilDone()
  const { entries, turnId, depth } = host
  if (depth > DEEPEST) {
    throw new ToolError(
      'tool-failed',
      `Agents may call each other at most ${DEEPEST} deep. Do this without another agent.`,
    )
  }
  if (entries.some((entry) => entry.type === 'turn-ended' && !isNested(entry))) return readResult(turnId, entries)
  const parts = agent.parts({ append: (...drafts) => host.append(...drafts) }, { depth })
  const own = { ...parts, graceMs: Math.min(parts.graceMs, host.graceMs) }
  const options = {
    turnId,
    signal,
    onEvent: (event: TurnEvent) => {
      if (!isEntry(event)) host.deliver(event)
    },
  }
  const runner = entries.length > 0 ? ToolRunner.from(own, entries, options) : new ToolRunner(own, asked, options)
  return runner.untilDone()
}

/** How a nested turn ended, from the log alone: the page went away between its end and that of its call. */
function readResult(turnId: string, entries: TurnHost['entries']): TurnResult {
  const fold = new TurnFold()
  for (const entry of entries) fold.apply(entry)
  const end = entries.find((entry) => entry.type === 'turn-ended' && !isNested(entry))
  return createResult({
    turnId,
    outcome: fold.outcome ?? { kind: 'completed' },
    reply: fold.lastReply,
    messages: fold.messages,
    usage: fold.usage,
    iterations: fold.iteration,
    ...(end?.type === 'turn-ended' && end.output !== undefined && { output: end.output }),
  })
}

function describe(name: string, { outcome, text, output }: TurnResult): CallToolResult {
  if (outcome.kind !== 'completed') {
    const soFar = text === '' ? '' : `\nIts text so far:\n${text}`
    return textResult(`The agent ${name} ended ${outcome.kind}${reasonOf(outcome)}.${soFar}`, true)
  }
  if (output === undefined) return textResult(text)
  const plain = toPlainJson(output, 'output')
  const structuredContent = isJsonObject(plain) ? plain : { result: plain }
  return { ...textResult(JSON.stringify(plain)), structuredContent }
}

function reasonOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return `: ${outcome.error.message}`
  return outcome.kind === 'no-progress' ? `: ${outcome.reason}` : ''
}
