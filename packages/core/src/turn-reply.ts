import { settleWithin } from './abort.ts'
import type { EntryDraft, ToolSettled } from './entries.ts'
import type { LiveEventBody } from './events.ts'
import type { LiveTurn } from './live-turn.ts'
import { SAVED } from './log-writer.ts'
import { type AssistantMessage, type AssistantPart, type ContentBlock, clientCalls } from './messages.ts'
import type { ModelRequest } from './model.ts'
import type { ModelReply } from './model-step.ts'
import type { Outcome } from './outcome.ts'
import { randomId } from './random-id.ts'
import { CUT_TEXT, FILTERED_TEXT, LENGTH_CUT_TEXT, stopTexts, textResult } from './result-text.ts'
import { toolMessage } from './turn-batch.ts'
import type { Asked } from './turn-hooks.ts'
import { addUsage } from './usage.ts'

/** What the model is asked now. */
export async function nextRequest(turn: LiveTurn, isLast: boolean): Promise<ModelRequest> {
  const request = await turn.createRequest()
  const asked = turn.parts.output?.request(turn, request, isLast) ?? request
  // The tools stay in the request: it begins as the ones before, and a provider may refuse calls of tools it does not see.
  return isLast && asked.tools.length > 0 ? { ...asked, toolChoice: 'none' } : asked
}

/** Ask the model and write down what it said. */
export async function askModel(turn: LiveTurn, request: ModelRequest): Promise<Asked | Outcome> {
  const { parts, signal, ids } = turn
  signal.throwIfAborted()
  const messageId = randomId()
  turn.emit({ type: 'iteration-started', iteration: turn.fold.iteration + 1 })
  turn.emit({ type: 'model-started', messageId, modelId: parts.modelId })
  let isListening = true
  const hear = (body: LiveEventBody): void => {
    if (isListening) turn.emit(body)
  }
  const listener = turn.hooks?.listen(hear)
  const pass = listener === undefined ? hear : (body: LiveEventBody): void => listener.emit(body)
  const emit = parts.output?.watch(request, pass) ?? pass
  const call = { signal: listener?.signal ?? signal, messageId, ids, emit }
  const answered = await turn.abortable(parts.callModel(request, call))
  isListening = listener !== undefined
  if (listener !== undefined && turn.hooks !== undefined) return turn.hooks.steps.hear(turn, { answered, listener })
  await record(turn, answered)
  return { reply: answered.message, ...(answered.error && { error: answered.error }) }
}

/** Write a reply down, with its checkpoint when it is whole and with its calls' answers when they must not run. */
export async function record(
  turn: LiveTurn,
  { message, discardedUsage }: ModelReply,
  extra: Pick<Extract<EntryDraft, { type: 'message' }>, 'ends' | 'rejected'> = {},
): Promise<void> {
  const calls = clientCalls(message)
  const isEmptyCut = message.partial === true && message.content.length === 0
  if (isEmptyCut) {
    // Nothing to write down, and yet it was paid for: the end of the turn tells.
    turn.fold.usage = addUsage(addUsage(turn.fold.usage, discardedUsage), message.usage)
    return
  }
  const drafts: EntryDraft[] = [{ type: 'message', message, ...(discardedUsage && { discardedUsage }), ...extra }]
  if (message.stopReason !== 'toolUse' && calls.length > 0) {
    const answer = { ...toolMessage(turn, calls), ...(extra.ends && { ends: extra.ends }) }
    drafts.push(...calls.map((call) => refuse(turn, call, message)), answer)
    if (turn.signal.aborted) turn.settledAtStop = 'interrupted'
  }
  if (!message.partial) drafts.push({ type: 'checkpoint', position: 'reply' })
  const { saved } = turn.append(...drafts)
  // Before any of its tools starts, the reply that asked for them is stored, or is known not to be.
  if (message.stopReason !== 'toolUse' || saved === SAVED) return
  turn.isReplyStored =
    (await settleWithin(saved, { signal: turn.signal, graceMs: 0, clock: turn.parts.clock })) === true
}

function refuse(
  turn: LiveTurn,
  call: { callId: string; toolName: string },
  reply: AssistantMessage,
): EntryDraft & ToolSettled {
  const { aborted, reason } = turn.signal
  const status = aborted ? 'not-run' : 'error'
  const text = aborted ? stopTexts(reason).notRun : (REFUSALS[reply.stopReason] ?? CUT_TEXT)
  return { type: 'tool-settled', callId: call.callId, toolName: call.toolName, status, result: textResult(text, true) }
}

const REFUSALS: { readonly [Reason in AssistantMessage['stopReason']]?: string } = {
  maxTokens: LENGTH_CUT_TEXT,
  safety: FILTERED_TEXT,
}

/** The results of the batch that was just settled as the answer: one reply that no model wrote. */
export function passThrough(turn: LiveTurn): AssistantMessage | undefined {
  const answered = turn.fold.messages.at(-1)
  const { lastReply } = turn.fold
  if (answered?.role !== 'tool' || lastReply === undefined) return undefined
  const { usage, modelId, timing } = lastReply
  return {
    id: randomId(),
    role: 'assistant',
    createdAt: turn.parts.clock.now(),
    content: answered.results.flatMap(({ result }) => result.content.map(toPart)),
    stopReason: 'endTurn',
    synthetic: 'passthrough',
    ...(usage !== undefined && { usage }),
    ...(modelId !== undefined && { modelId }),
    ...(timing !== undefined && { timing }),
  }
}

function toPart(block: ContentBlock): AssistantPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
    case 'audio':
      return { type: 'file', mediaType: block.mimeType, data: { base64: block.data } }
    case 'resource_link':
      return { type: 'source', sourceType: 'url', id: block.uri, url: block.uri, title: block.name }
    case 'resource': {
      const { uri, text, blob, mimeType = 'application/octet-stream' } = block.resource
      if (blob !== undefined) return { type: 'file', mediaType: mimeType, data: { base64: blob } }
      return { type: 'text', text: text ?? uri }
    }
  }
}
