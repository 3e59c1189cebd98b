import { holdLength, pii } from '@turnloop/guardrails'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkText, replaced } from './check-text.ts'
import { jsonTexts, texts } from './pii-arbitraries.ts'
import { PERSONAL } from './pii-texts.ts'

// A failure is told as it is: making such texts smaller takes minutes.
const RUNS = { numRuns: 250, endOnFailure: true }

describe.each(['mask', 'label', 'hash'] as const)('%s', (mode) => {
  const guardrail = pii({ mode })

  test('nothing is found in what is left', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await checkText(pii(), await replaced(guardrail, text))).toBeUndefined()
      }),
      RUNS,
    )
  })

  test('a second time changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const once = await replaced(guardrail, text)
        expect(await replaced(guardrail, once)).toBe(once)
      }),
      RUNS,
    )
  })

  test('JSON stays JSON, with its structure, and nothing is found in it', async () => {
    await fc.assert(
      fc.asyncProperty(jsonTexts, async (text) => {
        const result = await replaced(guardrail, text)
        expect(shapeOf(JSON.parse(result))).toEqual(shapeOf(JSON.parse(text)))
        expect(await checkText(pii(), result)).toBeUndefined()
      }),
      RUNS,
    )
  })

  test.each(Object.entries(PERSONAL))('no value is left of a text with one: %s', async (_kind, values) => {
    for (const text of values) {
      const result = await replaced(guardrail, text)
      expect(result).not.toMatch(/\p{Nd}{5}|[@＠]/u)
    }
  })
})

test('a masked text is as long as it was, and other characters stay', async () => {
  await fc.assert(
    fc.asyncProperty(
      texts.filter((text) => !/^\s*[[{"]/.test(text)),
      async (text) => {
        const masked = await replaced(pii({ mode: 'mask' }), text)
        expect(masked).toHaveLength(text.length)
        for (let i = 0; i < text.length; i += 1) expect(['*', text[i]]).toContain(masked[i])
      },
    ),
    RUNS,
  )
})

test('what is shown of a growing text is what the whole text shows', async () => {
  const mask = pii({ mode: 'mask' })
  await fc.assert(
    fc.asyncProperty(
      texts.filter((text) => !/^\s*[[{"]/.test(text)),
      async (text) => {
        const whole = await replaced(mask, text)
        for (let end = 1; end <= text.length; end += 1) {
          const part = text.slice(0, end)
          const shown = (await replaced(mask, part, true)).slice(0, end - holdLength(part))
          expect(whole.slice(0, shown.length)).toBe(shown)
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  )
})

/** The structure of JSON: lists, the number of keys, and that there is something. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return 'value'
  return Object.values(value).map(shapeOf)
}
