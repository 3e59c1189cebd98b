/** Tokens of one model call, or the sum of several. Only what the provider reported is there. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  /** Part of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens?: number
  /** Part of `inputTokens` that was written to the provider's cache. */
  readonly cacheWriteTokens?: number
  /** Part of `outputTokens` spent on reasoning. */
  readonly reasoningTokens?: number
}

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

/** Add two usages field by field; a field that neither has stays absent. */
export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (b === undefined) return a
  const sum: { -readonly [Field in keyof Usage]: Usage[Field] } = {}
  for (const field of FIELDS) {
    const value = (a[field] ?? 0) + (b[field] ?? 0)
    if (a[field] !== undefined || b[field] !== undefined) sum[field] = value
  }
  return sum
}
