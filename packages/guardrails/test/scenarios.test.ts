import { moderation, pii } from '@turnloop/guardrails'
import { expect, test } from 'vitest'
import { checkText, replaced } from './check-text.ts'

test('26: two kinds in one text are both reported, and both masked in place', async () => {
  const text = 'mail ada@example.com or card 4111 1111 1111 1111, thanks'

  expect(await checkText(pii(), text)).toMatchObject({ data: { kinds: ['email', 'card'], count: 2 } })
  expect(await replaced(pii({ mode: 'mask' }), text)).toBe(
    `mail ${'*'.repeat('ada@example.com'.length)} or card ${'*'.repeat('4111 1111 1111 1111'.length)}, thanks`,
  )
})

test.each([['ORD-\\d{4}'], [/ORD-\d{4}/]])('27: a pattern of the caller is found, given as %s', async (order) => {
  expect(await checkText(pii({ patterns: { order } }), 'see ORD-1234')).toMatchObject({
    trigger: 'pii_detected',
    data: { kinds: ['order'] },
  })
})

test('28: sixteen digits that are no card pass (differs)', async () => {
  expect(await checkText(pii(), 'number 1234567812345678')).toBeUndefined()
})

test('31: which categories count is for the function to say (differs)', async () => {
  const only = (category: string) =>
    moderation({ moderate: async () => ({ flagged: category === 'violence', categories: [category] }) })

  expect(await checkText(only('spam'), 'x')).toBeUndefined()
  expect(await checkText(only('violence'), 'x')).toMatchObject({ data: { categories: ['violence'] } })
})
