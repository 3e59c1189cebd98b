import { pii } from '@turnloop/guardrails'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { checkText, replaced, tableOf } from './check-text.ts'
import { IMPERSONAL, PERSONAL } from './pii-texts.ts'

test('personal data in any language trips it, what looks like it does not', async () => {
  const trips = Object.values(PERSONAL).flat()

  const { missed, falsely, line } = await tableOf(pii(), { name: 'pii', trips, passes: IMPERSONAL })

  console.log(line)
  expect({ missed, falsely }).toEqual({ missed: [], falsely: [] })
})

describe.each(Object.entries(PERSONAL))('%s', (kind, texts) => {
  test.each(texts)('one finding of this kind: %s', async (text) => {
    const verdict = await checkText(pii(), text)

    expect(verdict).toMatchObject({ trigger: 'pii_detected', data: { kinds: [kind], count: 1 } })
  })
})

test('a verdict says kinds and places and never the value', async () => {
  const verdict = await checkText(pii(), ['hello', 'mail ada@example.com, card ４１１１ 1111 1111 1111'])

  expect(verdict).toEqual({
    block: 'The text holds personal data: an e-mail address, a card number.',
    trigger: 'pii_detected',
    data: {
      kinds: ['email', 'card'],
      count: 2,
      findings: [
        { kind: 'email', text: 1, start: 5, end: 20 },
        { kind: 'card', text: 1, start: 27, end: 46 },
      ],
    },
  })
})

test('each text keeps its place, and those without findings stay', async () => {
  const verdict = await checkText(pii({ mode: 'label' }), ['one', 'ada@example.com', '', 'three'])

  expect(verdict).toEqual({ replace: ['one', '[email]', '', 'three'] })
})

test('a mask covers separators and invisible characters too', async () => {
  expect(await replaced(pii({ mode: 'mask' }), 'a 4111\u200b1111 1111-1111.')).toBe(`a ${'*'.repeat(19)}.`)
})

test('findings that overlap become one, of the longest kind', async () => {
  const guardrail = pii({ mode: 'label', patterns: { ticket: /AB \d{4} 1/, prefix: 'AB 41' } })

  expect(await replaced(guardrail, 'see AB 4111 1111 1111 1111 now')).toBe('see [card] now')
})

test('a card is not also a phone', async () => {
  expect(await replaced(pii({ mode: 'label' }), 'tel 4111 1111 1111 1111')).toBe('tel [card]')
})

test('cards in a row are found one by one', async () => {
  const cards = '4111 1111 1111 1111 5555 5555 5555 4444 4012 8888 8888 1881'

  expect(await replaced(pii({ mode: 'label' }), cards)).toBe('[card] [card] [card]')
})

test('only the kinds that are asked for are found', async () => {
  expect(await replaced(pii({ mode: 'label', kinds: ['email'] }), 'ada@example.com 123-45-6789')).toBe(
    '[email] 123-45-6789',
  )
})

test('patterns see full-width and invisible characters as plain text', async () => {
  const guardrail = pii({ mode: 'label', kinds: ['email'], patterns: { ticket: /t-\d{3}/i, code: 'X{2}\\d' } })

  expect(await replaced(guardrail, 'Ｔ-１２3, t\u00ad-456, XX7, xx7')).toBe('[ticket], [ticket], [code], xx7')
})

test('a pattern that matches nothing at all ends', async () => {
  expect(await checkText(pii({ kinds: ['email'], patterns: { nothing: /x*/ } }), 'abc')).toBeUndefined()
})

describe('hash', () => {
  test('says what it lacks on a page that came over plain http', async () => {
    const subtle = vi.spyOn(crypto, 'subtle', 'get').mockReturnValue(undefined as never)
    onTestFinished(() => subtle.mockRestore())

    const checking = replaced(pii({ mode: 'hash', salt: 'sixteen letters!' }), 'ada@example.com')

    await expect(checking).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('https') })
  })

  const salt = 'a salt of the tests'

  test('one value has one word, however it is written', async () => {
    const [first, second, other] = (
      await replaced(pii({ mode: 'hash' }), '4111111111111111, 4111 1111 1111 1111, 378282246310005')
    ).split(', ')

    expect(first).toMatch(/^\[card:[a-p]{10}\]$/)
    expect(second).toBe(first)
    expect(other).not.toBe(first)
  })

  test('two guardrails of a page give the same words', async () => {
    const text = 'ada@example.com'

    expect(await replaced(pii({ mode: 'hash' }), text)).toBe(await replaced(pii({ mode: 'hash' }), text))
  })

  test('the words of a salt stay the same', async () => {
    expect(await replaced(pii({ mode: 'hash', salt }), 'ada@example.com')).toBe('[email:dnpcifeeoe]')
  })

  test('another salt gives other words, the same one the same', async () => {
    const text = 'call 415-555-2671'
    const words = await Promise.all(
      [salt, salt, `${salt} 2`].map((one) => replaced(pii({ mode: 'hash', salt: one }), text)),
    )

    expect(words[0]).toBe(words[1])
    expect(words[2]).not.toBe(words[0])
  })
})

describe('JSON', () => {
  const mask = pii({ mode: 'mask' })

  test('a number becomes a string', async () => {
    const text = '{ "phone": 4155552671, "card": 4111111111111111, "at": 1700000000 }'

    expect(JSON.parse(await replaced(pii({ mode: 'label' }), text))).toEqual({
      phone: '[phone]',
      card: '[card]',
      at: 1700000000,
    })
  })

  test('an escape before a value stays whole', async () => {
    const text = JSON.stringify({ a: 'x\nada@example.com', b: '\\nada@example.com', c: 'x\n13812345678' })

    expect(JSON.parse(await replaced(pii({ mode: 'label' }), text))).toEqual({
      a: 'x\n[email]',
      b: '\\n[email]',
      c: 'x\n[cn-mobile]',
    })
  })

  test('a value that is written in escapes is found', async () => {
    expect(JSON.parse(await replaced(mask, '{"a":"ada\\u0040example.com"}'))).toEqual({ a: '*'.repeat(20) })
  })

  test('a pattern across the structure leaves the structure', async () => {
    const guardrail = pii({ mode: 'label', patterns: { pair: /"pin":\s*\d+/ } })

    expect(JSON.parse(await replaced(guardrail, '{"pin": 1234, "x": 1}'))).toEqual({ '[pair]': '[pair]', x: 1 })
  })
})

describe('a growing text', () => {
  const label = pii({ mode: 'label' })

  test('what may still grow is left alone', async () => {
    expect(await checkText(pii(), 'mail ada@example.co', { isPartial: true })).toBeUndefined()
    expect(await checkText(pii(), 'card 4111-1111-1111-1111', { isPartial: true })).toBeUndefined()
  })

  test('what can no longer grow is found', async () => {
    expect(await replaced(label, 'mail ada@example.com or', true)).toBe('mail [email] or')
  })
})

test.each([
  [{ mode: 'hide' }, 'pii: "mode" must be one of block, mask, label, hash.'],
  [{ kinds: [] }, 'pii: "kinds" must be a list of'],
  [{ kinds: ['e-mail'] }, 'pii: "kinds" must be a list of'],
  [{ patterns: { bad: '(' } }, 'pii: the pattern "bad" is no regular expression.'],
  [{ patterns: { email: 'x' } }, 'pii: the pattern "email" needs a name of its own'],
  [{ patterns: { 'a]': 'x' } }, 'pii: the pattern "a]" needs a name of its own'],
  [{ patterns: { a: 7 } }, 'pii: "patterns" must be an object of regular expressions.'],
  [{ salt: 'short' }, 'pii: "salt" must be text of at least 16 characters.'],
  [{ mask: true }, 'pii: there is no option "mask".'],
  [{ phases: ['tools'] }, '"phases" must be a list of'],
  [null, 'pii: expected an object of options.'],
])('options that cannot work are refused: %j', (options, message) => {
  // What a page without types may pass.
  expect(() => pii(options as object)).toThrow(
    expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(message) }),
  )
})
