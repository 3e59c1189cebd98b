import { expect, test } from 'vitest'
import { checkStyle } from '../check-style.mjs'
import { makeTree } from './make-tree.ts'

const check = (files: Record<string, string>): string[] => checkStyle(makeTree(files))
const lines = (count: number): string => '\n'.repeat(count)

test('a file of 300 lines passes and one of 301 does not', () => {
  expect(check({ 'packages/near/src/a.ts': lines(300) })).toEqual([])
  expect(check({ 'packages/near/src/a.ts': lines(301) })).toEqual([
    'packages/near/src/a.ts:1 has 301 lines, more than 300: split it',
  ])
})

test('an index of more than 180 lines is refused', () => {
  expect(check({ 'packages/near/src/index.ts': lines(181) })).toHaveLength(1)
})

test('a function of 60 lines passes and one of 61 does not', () => {
  const long = (count: number): string => `const a = () => {${lines(count - 1)}}\n`
  expect(check({ 'packages/near/src/a.ts': long(60) })).toEqual([])
  expect(check({ 'packages/near/src/a.ts': long(61) })).toEqual([
    'packages/near/src/a.ts:1 a function of 61 lines, more than 60: split it',
  ])
})

test('a docstring does not count towards its function', () => {
  const text = `/**${lines(30)}*/\nfunction a() {${lines(50)}}\na()\n`
  expect(check({ 'packages/near/src/a.ts': text })).toEqual([])
})

test('tests may be as long as they need', () => {
  expect(check({ 'packages/near/test/a.test.ts': `test('a', () => {${lines(400)}})` })).toEqual([])
})

test('a test that renders without StrictMode is refused', () => {
  const text = "import { render } from 'vitest-browser-react'\nrender(null)\n"
  expect(check({ 'packages/near/test/browser/strict-render.ts': text })).toEqual([])
  expect(check({ 'packages/near/test/browser/a.test.tsx': text })).toEqual([
    'packages/near/test/browser/a.test.tsx:1 renders without StrictMode: import render from strict-render.ts',
  ])
})

test('names that say nothing are refused', () => {
  const files = {
    'packages/near/src/utils.ts': '',
    'apps/demo/src/common.tsx': '',
    'packages/near/test/helpers.ts': '',
  }
  expect(check(files)).toHaveLength(3)
})

test('names that are not in kebab-case are refused', () => {
  expect(check({ 'apps/demo/src/ChatPane.tsx': '' })).toEqual(['apps/demo/src/ChatPane.tsx:1 is not in kebab-case'])
})

test('an export without a docstring is refused', () => {
  const text = '/** Says so. */\nexport const a = 1\nexport interface B {}\n'
  expect(check({ 'packages/near/src/a.ts': text })).toEqual([
    'packages/near/src/a.ts:3 exports something without a docstring',
  ])
})

test('a line comment is no docstring', () => {
  expect(check({ 'packages/near/src/a.ts': '// Says so.\nexport const a = 1\n' })).toHaveLength(1)
})

test('one docstring serves every signature of a function', () => {
  const text =
    '/** Says so. */\nexport function a(b: string): void\nexport function a(b: number): void\nexport function a(): void {}\n'
  expect(check({ 'packages/near/src/a.ts': text })).toEqual([])
})

test('re-exports and apps need no docstring', () => {
  const files = {
    'packages/near/src/index.ts': `export { a } from './a.ts'\n`,
    'packages/near/src/a.ts': '/** Says so. */\nexport const a = 1\n',
    'apps/demo/src/b.ts': 'export const b = 1\n',
  }
  expect(check(files)).toEqual([])
})
