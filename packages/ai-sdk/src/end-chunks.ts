import type { AssistantMessage, Outcome, StopReason } from '@turnloop/core'
import type { FinishReason } from 'ai'
import type { Chunk } from './step-chunks.ts'

/**
 * The chunks that tell how a turn ended.
 *
 * What a person has to be told is an `error`: a failure, a guardrail that said no, time or space that ran out. Stop is an
 * `abort`, and everything else a `finish`.
 */
export function endChunks(outcome: Outcome, reply: AssistantMessage | undefined): Chunk[] {
  switch (outcome.kind) {
    case 'completed':
      return finish(outcome.truncated ? 'length' : reply === undefined ? 'other' : FINISH_REASONS[reply.stopReason])
    case 'awaiting':
    case 'max-iterations':
      return finish('tool-calls')
    case 'no-progress':
      return finish(outcome.reason === 'output-limit' ? 'length' : 'other')
    case 'interrupted':
      return finish('interrupted')
    case 'cancelled':
      return [{ type: 'abort', reason: textOf(outcome.reason) }]
    case 'blocked':
      if (outcome.source === 'model') return finish('content-filter')
      return failed(outcome.message ?? `Blocked: ${outcome.trigger ?? outcome.hook ?? 'not allowed'}.`)
    case 'failed':
      return failed(outcome.error.message)
    case 'timed-out':
      return failed(`The turn took longer than its ${outcome.limit} of ${outcome.ms} ms allows.`)
    case 'context-full':
      return failed(
        `The conversation is too long for the model: ${outcome.usedTokens} of ${outcome.windowTokens} tokens are used.`,
      )
  }
}

function finish(finishReason: FinishReason): Chunk[] {
  return [{ type: 'finish', finishReason }]
}

function failed(errorText: string): Chunk[] {
  return [{ type: 'error', errorText }]
}

function textOf(reason: Extract<Outcome, { kind: 'cancelled' }>['reason']): string {
  return typeof reason === 'string' ? reason : JSON.stringify(reason)
}

const FINISH_REASONS: { readonly [Reason in StopReason]: FinishReason } = {
  toolUse: 'tool-calls',
  endTurn: 'stop',
  stopSequence: 'stop',
  maxTokens: 'length',
  safety: 'content-filter',
  error: 'error',
  timeout: 'error',
  cancelled: 'other',
  pause: 'other',
  other: 'other',
}
