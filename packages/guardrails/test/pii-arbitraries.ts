import fc from 'fast-check'
import { IMPERSONAL, PERSONAL } from './pii-texts.ts'

const NUMBERS = '0123456789'

/** Words, numbers, separators and signs in any order: what detectors trip over. */
const noise = fc.oneof(
  fc.constantFrom(
    ' ',
    '  ',
    '\n',
    '\t',
    ', ',
    '. ',
    ' - ',
    '-',
    '/',
    '@',
    '+',
    '(',
    ')',
    ':',
    '\u200b',
    '\u00a0',
    '＠',
    '。',
  ),
  fc.constantFrom(
    'the',
    'phone',
    'tel',
    'ssn',
    'DE',
    '电话',
    'a',
    'x',
    'é',
    '日本',
    '😀',
    '[phone]',
    '"',
    '\\',
    '{',
    '[',
    ']',
  ),
  fc.string({ unit: fc.constantFrom(...NUMBERS), minLength: 1, maxLength: 20 }),
)

const value = fc.constantFrom(...Object.values(PERSONAL).flat())

/** Texts that hold personal data here and there, also end to end. */
export const texts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: value },
      { weight: 1, arbitrary: fc.constantFrom(...IMPERSONAL) },
      { weight: 4, arbitrary: noise },
    ),
    {
      maxLength: 12,
    },
  )
  .map((pieces) => pieces.join(''))

/** JSON with personal data in strings, keys and numbers; some of it in escapes, some of it indented. */
export const jsonTexts: fc.Arbitrary<string> = fc
  .tuple(
    fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        texts,
        value,
        fc.constantFrom(4111111111111111, 4155552671, 13812345678, 1700000000, -1.5e-7, true, null),
        fc.array(tie('node'), { maxLength: 4 }),
        fc
          .array(fc.tuple(fc.oneof(fc.constantFrom('phone', 'id', 'to'), texts), tie('node')), { maxLength: 4 })
          // Keys that stay different when what is in them is redacted.
          .map((fields) => Object.fromEntries(fields.map(([key, node], i) => [`${'abcd'[i]}: ${key}`, node]))),
      ),
    })).node,
    fc.constantFrom(0, 2),
    fc.boolean(),
  )
  .map(([node, indent, isEscaped]) => {
    const json = JSON.stringify({ root: node }, undefined, indent)
    return isEscaped
      ? json.replace(/[^\0-\x7f]|@/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : json
  })
