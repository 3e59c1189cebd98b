import { describe, expect, test } from 'vitest'
import { checkImports } from '../check-imports.mjs'
import { makeTree } from './make-tree.ts'

const LAYERS = [['index'], ['top'], ['middle', 'beside'], ['bottom', 'json-schema']]
const check = (files: Record<string, string>): string[] => checkImports(makeTree(files), LAYERS)

describe('between packages', () => {
  test('a package may import core', () => {
    expect(check({ 'packages/near/src/a.ts': `import { tool } from '@turnloop/core'` })).toEqual([])
  })

  test('a type import of a neighbour is refused', () => {
    const problems = check({ 'packages/near/src/a.ts': `import type { Far } from '@turnloop/far'` })
    expect(problems).toEqual([
      'packages/near/src/a.ts:1 @turnloop/far is beside this package: a package may import core alone',
    ])
  })

  test('an inline import type of a neighbour is refused', () => {
    expect(check({ 'packages/near/src/a.ts': `export type A = import('@turnloop/far').Far` })).toHaveLength(1)
  })

  test('a dynamic import of a neighbour is refused', () => {
    expect(check({ 'packages/near/src/a.ts': `export const load = () => import('@turnloop/far')` })).toHaveLength(1)
  })

  test('a re-export of a neighbour is refused', () => {
    expect(check({ 'packages/near/src/a.ts': `export { far } from '@turnloop/far'` })).toHaveLength(1)
  })

  test('core importing another package of ours is refused', () => {
    expect(check({ 'packages/core/src/top.ts': `import { near } from '@turnloop/near'` })).toHaveLength(1)
  })

  test('a test may import core, testing and its own package', () => {
    const text = ['core', 'testing', 'near'].map((name) => `import '@turnloop/${name}'`).join('\n')
    expect(check({ 'packages/near/test/a.test.ts': text })).toEqual([])
  })

  test('a test importing a neighbour is refused', () => {
    expect(check({ 'packages/near/test/a.test.ts': `import '@turnloop/far'` })).toHaveLength(1)
  })

  test('an app may import any package by name', () => {
    expect(check({ 'apps/demo/src/a.ts': `import '@turnloop/near'\nimport '@turnloop/far'` })).toEqual([])
  })

  test('an app importing past the entry points is refused', () => {
    expect(check({ 'apps/demo/src/a.ts': `import '@turnloop/near/src/a.ts'` })).toEqual([
      'apps/demo/src/a.ts:1 @turnloop/near/src/a.ts is no published entry point',
    ])
  })

  test('a path out of the package is refused', () => {
    expect(check({ 'apps/demo/src/a.ts': `import '../../../packages/near/src/a.ts'` })).toEqual([
      'apps/demo/src/a.ts:1 reaches out to packages/near/src/a.ts: import the package by its name',
    ])
  })
})

describe('of other people', () => {
  test('a package that is not declared is refused', () => {
    expect(check({ 'packages/near/src/a.ts': `import 'zustand'` })).toEqual([
      'packages/near/src/a.ts:1 zustand is not in the dependencies of packages/near',
    ])
  })

  test('a declared package may be imported', () => {
    expect(check({ 'packages/near/src/a.ts': `import { openDB } from 'idb'` })).toEqual([])
  })

  test('a test may import what the repository shares', () => {
    expect(check({ 'packages/near/test/a.test.ts': `import { test } from 'vitest'` })).toEqual([])
  })

  test('a path into node_modules counts as its package', () => {
    const files = (name: string): Record<string, string> => ({
      'apps/demo/src/a.ts': `import data from '../../../node_modules/${name}/data.json?url'`,
    })
    expect(check(files('idb'))).toEqual([])
    expect(check(files('zustand'))).toEqual(['apps/demo/src/a.ts:1 zustand is not in the dependencies of apps/demo'])
  })

  test('core takes the JSON Schema validator in one file only', () => {
    const text = `import { Validator } from '@cfworker/json-schema'`
    expect(check({ 'packages/core/src/json-schema.ts': text })).toEqual([])
    expect(check({ 'packages/core/src/top.ts': text })).toHaveLength(1)
  })

  test('core takes nothing else, even declared', () => {
    expect(check({ 'packages/core/src/top.ts': `import 'zustand'` })).toHaveLength(1)
  })

  test('sources importing Node modules are refused', () => {
    expect(check({ 'packages/near/src/a.ts': `import 'node:fs'` })).toHaveLength(1)
  })
})

describe('inside a package', () => {
  test('a core file may import its own layer and those below', () => {
    const files = {
      'packages/core/src/top.ts': `import './middle.ts'\nimport './bottom.ts'`,
      'packages/core/src/middle.ts': `import './beside.ts'`,
      'packages/core/src/beside.ts': '',
      'packages/core/src/bottom.ts': '',
    }
    expect(check(files)).toEqual([])
  })

  test('a core file importing a layer above is refused', () => {
    const files = {
      'packages/core/src/bottom.ts': `import type { Top } from './top.ts'`,
      'packages/core/src/top.ts': '',
    }
    expect(check(files)).toEqual([
      'packages/core/src/bottom.ts:1 imports packages/core/src/top.ts, which is 2 layer(s) above it (scripts/layers.mjs)',
    ])
  })

  test('a core file without a layer is refused', () => {
    expect(check({ 'packages/core/src/novel.ts': '' })).toEqual([
      'packages/core/src/novel.ts:1 has no layer: say where it belongs in scripts/layers.mjs',
    ])
  })

  test('a cycle of type imports is found', () => {
    const files = {
      'packages/near/src/a.ts': `import type { B } from './b.ts'`,
      'packages/near/src/b.ts': `import type { C } from './c.ts'`,
      'packages/near/src/c.ts': `import type { A } from './a.ts'`,
    }
    const [first, ...rest] = check(files)
    expect(first).toBe(
      'import cycle: packages/near/src/a.ts -> packages/near/src/b.ts -> packages/near/src/c.ts -> packages/near/src/a.ts',
    )
    expect(rest).toEqual([])
  })

  test('two ways to the same file are no cycle', () => {
    const files = {
      'packages/near/src/a.ts': `import './b.ts'\nimport './c.ts'`,
      'packages/near/src/b.ts': `import './c.ts'`,
      'packages/near/src/c.ts': '',
    }
    expect(check(files)).toEqual([])
  })

  test('importing the index is refused', () => {
    expect(check({ 'packages/near/src/a.ts': `import './index.ts'`, 'packages/near/src/index.ts': '' })).toEqual([
      'packages/near/src/a.ts:1 imports the index packages/near/src/index.ts: import the file that has the thing',
    ])
  })

  test('sources importing test files are refused', () => {
    expect(check({ 'packages/near/src/a.ts': `import '../test/b.ts'`, 'packages/near/test/b.ts': '' })).toHaveLength(1)
  })

  test('export star is refused', () => {
    expect(check({ 'packages/near/src/index.ts': `export * from './a.ts'`, 'packages/near/src/a.ts': '' })).toEqual([
      'packages/near/src/index.ts:1 export *: list the names instead',
    ])
  })
})
