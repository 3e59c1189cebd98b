import type { LanguageModelV2FinishReason, LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ModelEvent, StopReason, Usage } from '@turnloop/core'
import type { StreamPart } from './spec-versions.ts'

type FinishPart = Extract<StreamPart, { type: 'finish' }>

/** The end of a reply, from the finish of any version. */
export function toFinish(part: FinishPart): Extract<ModelEvent, { type: 'finish' }> {
  const { providerMetadata } = part
  const usage = toUsage(part.usage)
  return {
    type: 'finish',
    ...toStopReason(part.finishReason),
    ...(usage && { usage }),
    ...(providerMetadata && { providerMetadata }),
  }
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'endTurn'],
  ['length', 'maxTokens'],
  ['content-filter', 'safety'],
  ['tool-calls', 'toolUse'],
  ['error', 'error'],
  ['interrupted', 'error'],
])

/** The stop reason for a finish word: a plain one in v2, a unified and a raw one later. Unknown words are `other`. */
export function toStopReason(reason: LanguageModelV2FinishReason | LanguageModelV4FinishReason): {
  stopReason: StopReason
  rawStopReason: string
} {
  const { raw, unified } = typeof reason === 'string' ? { raw: reason, unified: reason } : reason
  const rawStopReason = raw ?? unified
  const stopReason = STOP_REASONS.get(unified) ?? 'other'
  // Anthropic's own words for two things that the interface calls `stop`.
  if (stopReason === 'endTurn' && raw === 'pause_turn') return { stopReason: 'pause', rawStopReason }
  if (stopReason === 'endTurn' && raw === 'stop_sequence') return { stopReason: 'stopSequence', rawStopReason }
  return { stopReason, rawStopReason }
}

/** Token counts of either shape: flat in v2, nested later. Undefined if the provider reported none. */
export function toUsage(usage: FinishPart['usage'] | undefined): Usage | undefined {
  // Typed as always there; models in the page leave it out, or its fields.
  const counts = Object.entries(usage !== undefined && isNested(usage) ? flatten(usage) : (usage ?? {}))
  const known = counts.filter(([, count]) => typeof count === 'number')
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

function isNested(usage: FinishPart['usage']): usage is LanguageModelV4Usage {
  return typeof usage.inputTokens === 'object'
}

function flatten({ inputTokens: input, outputTokens: output }: LanguageModelV4Usage): Record<keyof Usage, unknown> {
  const [read, written] = [input.total, output.total]
  return {
    inputTokens: read,
    outputTokens: written,
    totalTokens: read !== undefined && written !== undefined ? read + written : undefined,
    cachedInputTokens: input.cacheRead,
    cacheWriteTokens: input.cacheWrite,
    reasoningTokens: output.reasoning,
  }
}
