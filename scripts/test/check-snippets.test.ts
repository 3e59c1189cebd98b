import { expect, test } from 'vitest'
import { checkLinks, checkSnippets } from '../check-snippets.mjs'
import { makeTree } from './make-tree.ts'

const tsconfig = JSON.stringify({ compilerOptions: { strict: true, lib: ['es5'], types: [], noEmit: true } })

test('a type error is reported on its line of the document', () => {
  const root = makeTree({ 'tsconfig.json': tsconfig, 'README.md': 'text\n\n```ts\nconst a: string = 1\n```\n' })
  expect(checkSnippets(root)).toEqual([`README.md:4 Type 'number' is not assignable to type 'string'.`])
})

test('programs of one document do not see each other', () => {
  const text = '```ts\nconst a = 1\n```\n```ts\nconst a = 2\n```\n```ts continues\nconst b: 2 = a\n```\n'
  expect(checkSnippets(makeTree({ 'tsconfig.json': tsconfig, 'docs/guide.md': text }))).toEqual([])
})

test('a link that leads nowhere is reported', () => {
  const root = makeTree({ 'README.md': '[a](docs/a.md)\n[b](docs/b.md)', 'docs/a.md': '[up](../README.md)' })
  expect(checkLinks(root)).toEqual(['README.md:2 links to docs/b.md, which is not there'])
})
