import { settleWithin } from './abort.ts'
import type { Clock } from './clock.ts'
import type { ApprovalDecided, ApprovalRequested, EntryDraft, ToolStarted } from './entries.ts'
import { TurnloopError } from './errors.ts'
import { canonicalJson, type JsonValue } from './json.ts'
import type { CallToolResult, Message, ToolCallPart, ToolStatus } from './messages.ts'
import type { Decision, PendingRequest } from './outcome.ts'
import { randomId } from './random-id.ts'
import { textResult } from './result-text.ts'
import type { ApprovalContext, Tool } from './tool.ts'
import { type PlannedCall, type ReadyCall, recheckCall } from './tool-plan.ts'

/** The entry for a decision. */
export function toDecided(decision: Decision, path?: readonly string[]): ApprovalDecided & Pick<EntryDraft, 'path'> {
  const { id, allow, input, result, note, by = 'user' } = decision
  return {
    type: 'approval-decided',
    id,
    allow,
    ...(input !== undefined && { input }),
    ...(result !== undefined && { result }),
    ...(note !== undefined && { note }),
    by,
    ...(path !== undefined && { path }),
  }
}

/** Whether a tool ever asks a person before it runs. */
export function asksPeople({ needsApproval, askUser, isHostAnswered }: Tool): boolean {
  return (needsApproval !== undefined && needsApproval !== false) || askUser !== undefined || isHostAnswered === true
}

/** What a tool asks people for, where it does. */
function askOf({ askUser, isHostAnswered }: Tool): PendingRequest['ask'] {
  if (isHostAnswered) return 'answer'
  return askUser === undefined ? 'approve' : 'fields'
}

/** Whether a call has to be asked about. A condition that throws says yes: it fails closed. Never rejects. */
async function mustAsk({ tool, value }: ReadyCall, context: ApprovalContext): Promise<boolean> {
  const { needsApproval } = tool
  if (askOf(tool) !== 'approve') return true
  if (typeof needsApproval !== 'function') return needsApproval === true
  try {
    return (await needsApproval(value, context)) !== false
  } catch {
    return true
  }
}

/** The question about a call, bound to the arguments that are shown. */
export function requestOf({ call, tool, input }: ReadyCall): PendingRequest {
  const inputHash = hashInput(input)
  return { id: randomId(), callId: call.callId, toolName: tool.name, ask: askOf(tool), input, inputHash }
}

/** Whether a request is the question that would be asked now: about the same tool and arguments, for the same thing. */
function shows({ toolName, ask, inputHash }: PendingRequest, { tool, input }: ReadyCall): boolean {
  return toolName === tool.name && ask === askOf(tool) && inputHash === hashInput(input)
}

/**
 * A short name for arguments, the same whatever the order of keys: FNV-1a, 64 bits in two halves. It tells arguments apart
 * that changed by themselves, and is no seal against whoever can write the log.
 */
function hashInput(input: JsonValue): string {
  const text = canonicalJson(input)
  let [low, high] = [0x811c9dc5, 0x9dc5811c]
  for (let index = 0; index < text.length; index += 1) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(text.length - 1 - index), 0x01000193)
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

/** The arguments that a decided call runs with: what was shown, as a person changed or completed it. */
function decidedInput(ready: ReadyCall, ask: PendingRequest['ask'], decided: ApprovalDecided): JsonValue | undefined {
  if (decided.input === undefined) return undefined
  return ask === 'fields' && typeof decided.input === 'object' ? { ...ready.input, ...decided.input } : decided.input
}

/** A call that people have answered in its tool's place, or refused. */
export interface AnsweredCall {
  readonly kind: 'answered'
  readonly call: ToolCallPart
  /** The call that a person has answered, where it is still what was shown. */
  readonly ready?: ReadyCall
  readonly status: ToolStatus
  readonly result: CallToolResult
}

/** A call that waits for people. */
export interface WaitingCall {
  readonly kind: 'waiting'
  readonly call: ToolCallPart
  readonly ready: ReadyCall
  readonly pending: readonly PendingRequest[]
  /** What becomes of it, where that is another question than whether it may run. */
  decide?(decided: ApprovalDecided): ReadyCall | AnsweredCall
}

/**
 * Says what becomes of an unsafe call that had started when the page went away: it stays unknown, runs after all, has been
 * answered, or waits for somebody to say so.
 */
export type InDoubt = (
  ready: ReadyCall,
  started: ToolStarted,
  options: Pick<AskOptions, 'known' | 'signal' | 'append'>,
) => ReadyCall | AnsweredCall | WaitingCall

/** What asking needs of a batch. */
export interface AskOptions {
  readonly signal: AbortSignal
  readonly tools: readonly Tool[]
  readonly messages: readonly Message[]
  readonly turnId: string
  readonly sessionId?: string
  readonly known: {
    readonly requested: ReadonlyMap<string, ApprovalRequested>
    readonly decided: ReadonlyMap<string, ApprovalDecided>
  }
  append(...drafts: EntryDraft[]): unknown
}

/**
 * What becomes of a call that people may have to be asked about: it runs, is answered, or waits.
 *
 * The same question is not asked twice, and stays open until it is decided, whatever a condition says by then. One about
 * another tool, or other arguments, than those that were shown is another question.
 */
export async function askPeople(
  ready: ReadyCall,
  options: AskOptions,
  clock: Clock,
): Promise<PlannedCall | AnsweredCall | WaitingCall> {
  const { known, signal, turnId, sessionId, tools } = options
  const { call } = ready
  const asked = known.requested.get(call.callId)
  const decided = known.decided.get(call.callId)
  if (asked !== undefined && shows(asked, ready)) {
    if (decided !== undefined) return decide(ready, { asked, decided, tools })
    return { kind: 'waiting', call, ready, pending: [{ ...requestOf(ready), id: asked.id }] }
  }
  const context: ApprovalContext = {
    callId: call.callId,
    get messages() {
      return options.messages
    },
    turnId,
    ...(sessionId !== undefined && { sessionId }),
  }
  if ((await settleWithin(mustAsk(ready, context), { signal, graceMs: 0, clock })) !== true) return ready
  const request = requestOf(ready)
  if (!signal.aborted) options.append({ type: 'approval-requested', ...request })
  return { kind: 'waiting', call, ready, pending: [request] }
}

/** What a person said in the tool's place, whatever has become of the tool since; `undefined`: it was to run. */
export function answerOf(call: ToolCallPart, decided: ApprovalDecided | undefined): AnsweredCall | undefined {
  if (decided === undefined) return undefined
  const { allow, result, note } = decided
  if (!allow) return { kind: 'answered', call, status: 'denied', result: textResult(deniedText(note), true) }
  return result && { kind: 'answered', call, status: result.isError ? 'error' : 'ok', result }
}

/** A waiting call as it was decided about. One whose agent waits takes the decision itself. */
export async function afterDecision(
  { ready, pending, decide: decideIt }: WaitingCall,
  decided: ApprovalDecided,
  tools: readonly Tool[],
): Promise<PlannedCall | AnsweredCall> {
  const asked = pending.find(({ id }) => id === decided.id)
  if (asked === undefined || asked.path !== undefined) return ready
  return decideIt?.(decided) ?? decide(ready, { asked, decided, tools })
}

async function decide(
  ready: ReadyCall,
  { asked, decided, tools }: { asked: PendingRequest; decided: ApprovalDecided; tools: readonly Tool[] },
): Promise<PlannedCall | AnsweredCall> {
  const { call, tool, input: shown } = ready
  const answered = answerOf(call, decided)
  if (answered !== undefined) return { ...answered, ...(decided.allow && { ready }) }
  const input = decidedInput(ready, asked.ask, decided)
  if (input === undefined) return ready
  const planned = await recheckCall(call, tools, { toolName: tool.name, input, modelInput: shown })
  return { ...planned, call }
}

/** Throw `bad-input` for a decision of another kind than what was asked. */
export function checkDecision({ id, allow, input, result }: Decision, { ask, toolName }: PendingRequest): void {
  const fail = (text: string): never => {
    throw new TurnloopError('bad-input', `The decision "${id}" about ${toolName} ${text}.`)
  }
  if (!allow) return
  if (ask === 'answer' && result === undefined) fail('needs the answer itself')
  if (ask === 'outcome' && input !== undefined) fail('cannot change its arguments')
  if (ask !== 'answer' && ask !== 'outcome' && result !== undefined)
    fail('cannot be an answer: the tool runs by itself')
  if (ask === 'fields' && input === undefined) fail('needs the fields as input')
}

/**
 * The decisions as entries. Throws `bad-input` for one that nothing waits for, and for none at all; `already-consumed` where
 * some of what waited `isDecided`: another run has gone on from there.
 */
export function toEntries(
  decisions: readonly Decision[],
  pending: readonly PendingRequest[],
  isDecided: ReadonlySet<string>,
): (ApprovalDecided & Pick<EntryDraft, 'path'>)[] {
  if (pending.some(({ id }) => isDecided.has(id)))
    throw new TurnloopError('already-consumed', 'resume: this turn has been gone on with. Use the result of that run.')
  if (decisions.length === 0) throw new TurnloopError('bad-input', 'resume: nothing has been decided.')
  return decisions.map((decision) => {
    const request = pending.find(({ id }) => id === decision.id)
    if (request === undefined) throw new TurnloopError('bad-input', `Nothing waits for the decision "${decision.id}".`)
    checkDecision(decision, request)
    return toDecided(decision, request.path)
  })
}

/** What a tool throws that cannot go on without people: an agent whose own calls wait. Its call stays open. */
export class CallPaused extends Error {
  override readonly name = 'CallPaused'
  readonly pending: readonly PendingRequest[]

  constructor(pending: readonly PendingRequest[]) {
    super('This call waits for a decision.')
    this.pending = pending
  }
}

/** What the model reads of a call that a person did not allow. */
export function deniedText(note: string | undefined): string {
  const why = note === undefined || note.trim() === '' ? '' : ` They said: ${note}`
  return `A person did not allow this call. It was not run.${why}`
}
