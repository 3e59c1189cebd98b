import { expect, test } from 'vitest'
import { evaluateExpression } from '../src/tools/evaluate-expression.ts'

test.each([
  ['2 + 3 * 4', 14],
  ['0.1 + 0.2', 0.3],
  ['12 % of 340', 40.8],
  ['12 percent of 1,340.50', 160.86],
  ['15% off 80', 68],
  ['340 + 12%', 380.8],
  ['(1,200 − 200) × 2 ÷ 4 =', 500],
  ['2 ** 10', 1024],
  ['max(1, 200)', 200],
  ['round(2 / 3, 2)', 0.67],
  ['sqrt(16) > 3', true],
])('%s is %s', (expression, value) => {
  expect(evaluateExpression(expression)).toBe(value)
})

test.each(['1 / 0', 'sqrt(-1)', '2 +', 'hello', '', 'f(x) = x', 'import({})', 'evaluate("1")', 'parse("1")'])(
  '%j is refused',
  (expression) => {
    expect(() => evaluateExpression(expression)).toThrow()
  },
)
