import { expect, test } from 'vitest'
import { linksIn, programsIn } from '../documents.mjs'

test('a block stands on its own lines', () => {
  expect(programsIn('text\n```ts\nconst a = 1\n```\n')).toEqual(['\n\nconst a = 1'])
})

test('two blocks are two programs', () => {
  expect(programsIn('```ts\na\n```\n```tsx\nb\n```')).toEqual(['\na', '\n\n\n\nb'])
})

test('a block that continues joins the one before', () => {
  expect(programsIn('```ts\na\n```\ntext\n```ts continues\nb\n```')).toEqual(['\na\n\n\n\nb'])
})

test('other languages and exempt blocks are left out', () => {
  expect(programsIn('```sh\na\n```\n```ts nocheck\nb\n```\n```\nc\n```\n```tsv\nd\n```')).toEqual([])
})

test('relative links are found, those to the web and within the text are not', () => {
  expect(linksIn('[a](docs/a.md) [b](b.md#part)\n[c](https://example.org) [d](#here)')).toEqual([
    { target: 'docs/a.md', line: 1 },
    { target: 'b.md', line: 1 },
  ])
})
