/** Why the model stopped, per message. Why the *turn* ended is its `Outcome`. Source: the turn guide, "Stop reasons". */
export type StopReason =
  | 'toolUse'
  | 'endTurn'
  | 'stopSequence'
  | 'other'
  | 'pause'
  | 'maxTokens'
  | 'safety'
  | 'error'
  | 'cancelled'
  | 'timeout'

const NEVER_RUNS: ReadonlySet<StopReason> = new Set(['maxTokens', 'safety', 'error', 'cancelled', 'timeout'])

/**
 * The stop reason a reply really has, from what its finish said and what it holds.
 *
 * Complete calls after a clean finish make it `toolUse`, whatever the word was; a finish that promised a call and
 * brought none, not even one of the provider's own, is `other` with `missingCall`; no finish at all, or an error part,
 * is `error`.
 */
export function settleStopReason(seen: {
  finish: StopReason | undefined
  hasClientCalls: boolean
  hasProviderCalls: boolean
  hasError: boolean
}): { stopReason: StopReason; missingCall?: true } {
  if (seen.hasError || seen.finish === undefined) return { stopReason: 'error' }
  if (NEVER_RUNS.has(seen.finish)) return { stopReason: seen.finish }
  if (seen.hasClientCalls) return { stopReason: 'toolUse' }
  if (seen.finish === 'toolUse') return { stopReason: 'other', ...(!seen.hasProviderCalls && { missingCall: true }) }
  return { stopReason: seen.finish }
}
