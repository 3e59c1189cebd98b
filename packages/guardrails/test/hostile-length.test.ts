import type { Guardrail } from '@turnloop/core'
import { holdLength, pii, promptInjection, topic } from '@turnloop/guardrails'
import { expect, test, vi } from 'vitest'
import { checkText } from './check-text.ts'

/** Texts of about n characters that make careless expressions and loops slow. */
const HOSTILE: Readonly<Record<string, (n: number) => string>> = {
  letters: (n) => 'a'.repeat(n),
  digits: (n) => '4'.repeat(n),
  'digits with spaces': (n) => '4 '.repeat(n / 2),
  'digits with many spaces': (n) => '4   '.repeat(n / 4),
  'almost cards': (n) => '4111 1111 1111 1112 '.repeat(n / 20),
  cards: (n) => '4111 1111 1111 1111 '.repeat(n / 20),
  'joined phones': (n) => '415-555-2671-'.repeat(n / 13),
  'signs of addresses': (n) => '@'.repeat(n),
  'almost addresses': (n) => 'a@a.'.repeat(n / 4),
  labels: (n) => `a@${'a-'.repeat(n / 2)}`,
  dots: (n) => 'a.'.repeat(n / 2),
  'starts of IBANs': (n) => 'DE89'.repeat(n / 4),
  'phone words': (n) => 'phone number is '.repeat(n / 16),
  spaces: (n) => ' '.repeat(n),
  backslashes: (n) => '\\'.repeat(n),
  quotes: (n) => '"'.repeat(n),
  'open JSON': (n) => '[{"a":"'.repeat(n / 7),
  'numbers in JSON': (n) => `[${'4155552671,'.repeat(n / 11)}4111111111111111]`,
  'single letters': (n) => 'i '.repeat(n / 2),
  fillers: (n) => `ignore ${'all the previous '.repeat(n / 17)}`,
  'glued fillers': (n) => `ignore ${'alltheprevious'.repeat(n / 14)}`,
  verbs: (n) => 'ignore forget disregard '.repeat(n / 24),
  marks: (n) => '\u0336'.repeat(n),
  'invisible characters': (n) => '\u200b'.repeat(n),
  'tag characters': (n) => '\u{e0061}'.repeat(n / 2),
  ideographs: (n) => '忽略之前的'.repeat(n / 5),
  emoji: (n) => '🏴'.repeat(n / 2),
}

const GUARDRAILS: readonly Guardrail[] = [
  pii(),
  pii({ mode: 'mask' }),
  promptInjection(),
  topic({ deny: ['a b', 'ignore*'] }),
]

test.each(Object.entries(HOSTILE))('twice the text is at most twice the work: %s', async (_name, textOf) => {
  const single = await searchesIn(textOf(1000))
  const double = await searchesIn(textOf(2000))

  expect(double.count).toBeLessThanOrEqual(single.count * 2.2 + 200)
})

test('no expression repeats a group that can repeat without a limit', async () => {
  const sources = new Set<string>()
  for (const textOf of Object.values(HOSTILE))
    for (const source of (await searchesIn(textOf(400))).sources) sources.add(source)

  const unbounded = [...sources].filter((source) => /\)(?:\*|\+|\{\d+,\})/.test(source))

  expect(sources.size).toBeGreaterThan(60)
  // In these no character can be read in two ways: digits and what separates them, letters with a space behind each.
  expect(unbounded).toEqual(['\\d(?:[ \\t.-]{0,3}\\d){13,}', '(?<!\\p{L})(?:\\p{L} ){5,}\\p{L}(?!\\p{L})'])
})

/** How many searches all guardrails make in a text, and with which expressions. */
async function searchesIn(text: string): Promise<{ count: number; sources: ReadonlySet<string> }> {
  const sources = new Set<string>()
  let count = 0
  const exec = RegExp.prototype.exec
  const spy = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function counted(this: RegExp, input) {
    count += 1
    sources.add(this.source)
    return exec.call(this, input)
  })
  try {
    for (const guardrail of GUARDRAILS) await checkText(guardrail, text)
    holdLength(text)
  } finally {
    spy.mockRestore()
  }
  return { count, sources }
}
