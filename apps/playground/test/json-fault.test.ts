import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFaultLine } from '../src/data/json-fault.ts'

test.each([
  ['[\n1,\n2,\n]', 4],
  ['[1,\n2\n3]', 3],
  ['{"a": 1,\n"b" 2}', 2],
  ['{"a": 1,\nb: 2}', 2],
  ['[{"a": "x\ny"}]', 1],
  ['[1,\n{"a": 01}]', 2],
  ['[1]\n\nrest', 3],
  ['[{"a": 1\n', 2],
  ['[\n"\\q"]', 2],
  ['{"a": [1}\n}', 1],
  ['', 1],
])('%j is broken in line %i', (text, line) => {
  expect(jsonFaultLine(text)).toBe(line)
})

test('valid JSON is read to its end', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = `[${JSON.stringify(value, null, 1)}]`
      expect(jsonFaultLine(`${text}\n!`)).toBe(text.split('\n').length + 1)
    }),
  )
})
