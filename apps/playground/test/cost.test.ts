import { expect, test } from 'vitest'
import { costOf, formatCost, sumCosts, tokenWords } from '../src/app/cost.ts'

const PRICES = { input: 2, output: 10 }

test.each([
  [{ inputTokens: 1_000_000, outputTokens: 100_000 }, PRICES, 3],
  [{ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 400_000 }, PRICES, 2],
  [{ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 400_000 }, { ...PRICES, cachedInput: 0.5 }, 1.4],
  [{ inputTokens: 0, outputTokens: 0 }, PRICES, 0],
])('%j at %j costs %d', (usage, prices, dollars) => {
  expect(costOf(usage, prices)).toBeCloseTo(dollars, 10)
})

test.each([
  [{ inputTokens: 5, outputTokens: 5 }, {}],
  [{ inputTokens: 5, outputTokens: 5 }, { input: 1 }],
  [{ outputTokens: 5 }, PRICES],
  [{ totalTokens: 10 }, PRICES],
])('%j at %j costs nobody knows what', (usage, prices) => {
  expect(costOf(usage, prices)).toBeUndefined()
})

test('a sum says whether something is missing in it', () => {
  expect(sumCosts([0.5, 0.25])).toEqual({ dollars: 0.75, isPartly: false })
  expect(sumCosts([0.5, undefined])).toEqual({ dollars: 0.5, isPartly: true })
  expect(sumCosts([0, 0])).toEqual({ dollars: 0, isPartly: false })
  expect(sumCosts([0, undefined])).toBeUndefined()
  expect(sumCosts([undefined])).toBeUndefined()
  expect(sumCosts([])).toBeUndefined()
})

test.each([
  [0, 'no cost'],
  [0.00003, 'under $0.0001'],
  [0.000456, '$0.00046'],
  [0.0423, '$0.042'],
  [0.4, '$0.40'],
  [0.994, '$0.99'],
  [0.996, '$1.00'],
  [1234.5, '$1,234.50'],
])('%d is read as %s', (dollars, words) => {
  expect(formatCost(dollars)).toBe(words)
})

test.each([
  [{ inputTokens: 1371, outputTokens: 122, totalTokens: 1493 }, '1,371 tokens in, 122 out'],
  [{ inputTokens: 1371, outputTokens: 122, cachedInputTokens: 800 }, '1,371 tokens in (800 cached), 122 out'],
  [{ inputTokens: 5, cachedInputTokens: 0 }, '5 tokens in, 0 out'],
  [{ totalTokens: 1493 }, '1,493 tokens'],
  [{}, undefined],
])('%j is read as %s', (usage, words) => {
  expect(tokenWords(usage)).toBe(words)
})
