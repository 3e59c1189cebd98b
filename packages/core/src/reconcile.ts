import { distinctCalls } from './distinct-calls.ts'
import {
  type AssistantMessage,
  type AssistantPart,
  clientCalls,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  type ToolResult,
} from './messages.ts'
import { areDistinct, isPlainlySound } from './plainly-sound.ts'
import { HEALED_NOT_RUN_TEXT, HEALED_UNKNOWN_TEXT, textResult } from './result-text.ts'

/** One thing `reconcileHistory` changed, and the rule it followed. */
export interface Repair {
  readonly rule:
    | 'answered-call'
    | 'renamed-repeated-call'
    | 'dropped-orphan-result'
    | 'dropped-duplicate-result'
    | 'reordered-results'
    | 'dropped-empty-reply'
    | 'dropped-blank-text'
    | 'dropped-trailing-reasoning'
    | 'dropped-duplicate-message'
    | 'dropped-orphan-provider-result'
  readonly messageId: string
  readonly callId?: string
}

/** A healed history, and what was done to it. */
export interface Reconciled {
  readonly messages: readonly Message[]
  /** In order; empty when the history was sound, and then `messages` is the very array that came in. */
  readonly report: readonly Repair[]
}

/**
 * Make a history that every provider accepts, whatever was cut, lost or doubled in it.
 *
 * Every client call gets exactly one result, in one tool message right after the message that asked, in call order: a
 * missing one is answered "not run" where the reply was cut and "unknown" where it may have run. A call that repeats the id
 * of another gets one of its own, and each keeps its result. Orphan and duplicate
 * results, empty replies, blank text and reasoning that nothing follows are dropped. Calls the provider runs
 * itself may lack a result. `openCallIds` are calls that are unanswered on purpose; `isFollowed` says that more messages
 * come after these. Pure and idempotent; messages that are sound keep their identity. Source: the turn guide, "Self-heal".
 */
export function reconcileHistory(
  given: readonly Message[],
  options: { openCallIds?: ReadonlySet<string>; isFollowed?: boolean } = {},
): Reconciled {
  if (areDistinct(given, new Set())) return healMessages(given, options)
  const renamed: Repair[] = []
  const messages = distinctCalls(given, (messageId, callId) =>
    renamed.push({ rule: 'renamed-repeated-call', messageId, callId }),
  )
  const { report, messages: healed } = healAll(messages, options)
  return renamed.length + report.length === 0
    ? { messages: given, report }
    : { messages: healed, report: [...renamed, ...report] }
}

/** Options of `reconcileHistory`, and the open calls of the provider's own tools: those of these messages join them. */
interface HealOptions {
  readonly openCallIds?: ReadonlySet<string>
  readonly isFollowed?: boolean
  readonly providerCalls?: Set<string>
}

/** The same for messages whose ids are known to be distinct. */
export function healMessages(messages: readonly Message[], options: HealOptions): Reconciled {
  return isPlainlySound(messages) ? { messages, report: [] } : healAll(messages, options)
}

function healAll(messages: readonly Message[], options: HealOptions): Reconciled {
  const report: Repair[] = []
  const healed: Message[] = []
  const results = collectResults(messages, report)
  const seen = new Set<string>()
  const { providerCalls = new Set() } = options
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue
    if (seen.has(message.id)) {
      report.push({ rule: 'dropped-duplicate-message', messageId: message.id })
      continue
    }
    seen.add(message.id)
    if (message.role === 'user') {
      healed.push(message)
      continue
    }
    const isLast = options.isFollowed !== true && index === messages.length - 1
    const sound = soundReply(message, { providerCalls, report, isLast })
    if (sound === undefined) continue
    healed.push(sound)
    const answer = answerCalls(sound, messages[index + 1], { results, report, seen, open: options.openCallIds ?? NONE })
    if (answer !== undefined) healed.push(answer)
  }
  return report.length === 0 ? { messages, report } : { messages: healed, report }
}

const NONE: ReadonlySet<string> = new Set()

/** All results by call, the first of each; those that answer no call of an earlier message are orphans. */
function collectResults(messages: readonly Message[], report: Repair[]): Map<string, ToolResult> {
  const results = new Map<string, ToolResult>()
  const asked = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of clientCalls(message)) asked.add(call.callId)
    if (message.role !== 'tool') continue
    for (const result of message.results) {
      const at = { messageId: message.id, callId: result.callId }
      if (!asked.has(result.callId)) report.push({ rule: 'dropped-orphan-result', ...at })
      else if (results.has(result.callId)) report.push({ rule: 'dropped-duplicate-result', ...at })
      else results.set(result.callId, result)
    }
    if (message.results.length === 0) report.push({ rule: 'dropped-orphan-result', messageId: message.id })
  }
  return results
}

/** A reply as providers take it back; `undefined` when nothing is left of it. */
function soundReply(
  message: AssistantMessage,
  { providerCalls, report, isLast }: { providerCalls: Set<string>; report: Repair[]; isLast: boolean },
): AssistantMessage | undefined {
  const { content } = message
  const told = content.filter((part) => {
    if (part.type === 'tool-call' && part.providerExecuted) providerCalls.add(part.callId)
    // Answered once: a second result of the same call is one that no call is left for.
    return part.type !== 'provider-result' || providerCalls.delete(part.callId)
  })
  const written = told.filter(
    (part) => part.type !== 'text' || part.text.trim() !== '' || part.providerMetadata !== undefined,
  )
  // Reasoning that nothing follows lost its continuation to a cut: providers refuse it, signed or not.
  // A paused reply goes on from where it stands, reasoning included, if the provider can know it for its own.
  const isContinued = isLast && message.stopReason === 'pause' && written.some((part) => isSent(part) || isSigned(part))
  const last = isContinued ? written.length - 1 : written.findLastIndex(isSent)
  const sound = written.filter((part, index) => index <= last || part.type !== 'reasoning')
  const note = (rule: Repair['rule']): void => void report.push({ rule, messageId: message.id })
  if (told.length < content.length) note('dropped-orphan-provider-result')
  if (written.length < told.length) note('dropped-blank-text')
  if (sound.length < written.length) note('dropped-trailing-reasoning')
  if (last >= 0) return sound.length === content.length ? message : { ...message, content: sound }
  note('dropped-empty-reply')
  return undefined
}

/** Whether a part goes over the wire by itself and may stand last there. Sources are shown to people only. */
function isSent(part: AssistantPart): boolean {
  return part.type !== 'reasoning' && part.type !== 'source' && part.type !== 'provider-approval'
}

function isSigned(part: AssistantPart): boolean {
  return part.type === 'reasoning' && part.providerMetadata !== undefined
}

function answerCalls(
  reply: AssistantMessage,
  next: Message | undefined,
  context: { results: Map<string, ToolResult>; report: Repair[]; seen: Set<string>; open: ReadonlySet<string> },
): ToolMessage | undefined {
  const calls = clientCalls(reply)
  if (calls.length === 0 || calls.some((call) => context.open.has(call.callId))) return undefined
  const results = calls.map((call) => context.results.get(call.callId) ?? heal(reply, call, context.report))
  const own = next?.role === 'tool' && !context.seen.has(next.id) ? next : undefined
  const origin = own ?? { id: `${reply.id}:results`, createdAt: reply.createdAt }
  context.seen.add(origin.id)
  if (own !== undefined && isSame(own.results, results)) return own
  const found = calls.some((call) => context.results.has(call.callId))
  if (found) context.report.push({ rule: 'reordered-results', messageId: reply.id })
  return { id: origin.id, role: 'tool', createdAt: origin.createdAt, results }
}

function heal(reply: AssistantMessage, call: ToolCallPart, report: Repair[]): ToolResult {
  report.push({ rule: 'answered-call', messageId: reply.id, callId: call.callId })
  const mayHaveRun = reply.stopReason === 'toolUse' && reply.partial !== true
  return {
    callId: call.callId,
    toolName: call.toolName,
    status: mayHaveRun ? 'unknown' : 'not-run',
    result: textResult(mayHaveRun ? HEALED_UNKNOWN_TEXT : HEALED_NOT_RUN_TEXT, true),
  }
}

function isSame(a: readonly ToolResult[], b: readonly ToolResult[]): boolean {
  return a.length === b.length && a.every((result, index) => result === b[index])
}
