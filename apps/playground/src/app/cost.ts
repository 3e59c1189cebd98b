import type { Usage } from '@turnloop/core'
import { formatCount } from './format.ts'

/** What a model's provider asks for, in US dollars per million tokens. */
export interface ModelPrices {
  readonly input?: number
  readonly output?: number
  /** Of input that came from the provider's cache; absent: as other input. */
  readonly cachedInput?: number
}

/** What several turns cost, as far as that is known. */
export interface CostSum {
  readonly dollars: number
  /** Of some there is no price. */
  readonly isPartly: boolean
}

const MILLION = 1_000_000

/** US dollars for the tokens of a call; `undefined` where a price or a count is missing. */
export function costOf(usage: Usage, { input, output, cachedInput = input }: ModelPrices): number | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage
  if (input === undefined || output === undefined || cachedInput === undefined) return undefined
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const fresh = Math.max(0, inputTokens - cachedInputTokens)
  return (fresh * input + cachedInputTokens * cachedInput + outputTokens * output) / MILLION
}

/** Add up what is known; `undefined` where that says nothing. */
export function sumCosts(costs: readonly (number | undefined)[]): CostSum | undefined {
  const known = costs.flatMap((cost) => cost ?? [])
  const dollars = known.reduce((sum, cost) => sum + cost, 0)
  const isPartly = known.length < costs.length
  return known.length === 0 || (isPartly && dollars === 0) ? undefined : { dollars, isPartly }
}

/** Money as it is read: $1.20, $0.034, "under $0.0001". */
export function formatCost(dollars: number): string {
  if (dollars === 0) return 'no cost'
  if (dollars < 0.0001) return 'under $0.0001'
  // Two decimals, or the first two figures of what is smaller.
  const digits =
    dollars < 0.1 ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return `$${dollars.toLocaleString('en', digits)}`
}

/** Tokens in words: "1,371 tokens in (800 cached), 122 out"; `undefined` where none were counted. */
export function tokenWords({ inputTokens, outputTokens, cachedInputTokens, totalTokens }: Usage): string | undefined {
  if (inputTokens === undefined && outputTokens === undefined)
    return totalTokens === undefined ? undefined : `${formatCount(totalTokens)} tokens`
  const cached = cachedInputTokens ? ` (${formatCount(cachedInputTokens)} cached)` : ''
  return `${formatCount(inputTokens ?? 0)} tokens in${cached}, ${formatCount(outputTokens ?? 0)} out`
}
