import { join } from 'node:path'
import { expect, test } from 'vitest'
import { apiReference } from '../check-api.mjs'
import { publicNames } from '../public-names.mjs'
import { makeTree } from './make-tree.ts'

const files = {
  'packages/core/src/index.ts': `export type { Options } from './open.ts'\nexport { Door as Gate, open } from './open.ts'\n`,
  'packages/core/src/open.ts': `
/** How to open it. */
export interface Options {
  /** In ms. */
  waitMs?: number
}
/** Opens {@link Door}. */
export function open(options: Options): Door
/** Opens it at once. */
export function open(): Door
export function open(options?: Options): Door { return new Door(options) }
/** A way in. */
export class Door {
  private isOpen = false
  readonly waitMs: number
  constructor(options?: Options) { this.waitMs = options?.waitMs ?? 0 }
}
/** Not for anybody. */
export const hidden = 1
`,
}

const namesOf = () => publicNames(join(makeTree(files), 'packages/core/src/index.ts'))

test('only what the index lists is public, under its public name', () => {
  expect(namesOf().map(({ name, isType }) => [name, isType])).toEqual([
    ['Gate', false],
    ['Options', true],
    ['open', false],
  ])
})

test('overloads stand together, without the implementation', () => {
  const open = namesOf().find(({ name }) => name === 'open')
  expect(open?.code).toBe('function open(options: Options): Door;\nfunction open(): Door;')
  expect(open?.doc).toBe('Opens `Door`.\n\nOpens it at once.')
})

test('members keep their comments and private ones are left out', () => {
  const [gate, options] = namesOf()
  expect(options?.code).toContain('  /** In ms. */\n  waitMs?: number;')
  expect(gate?.code).not.toContain('isOpen')
})

test('a name that cannot be found is an error', () => {
  const root = makeTree({ ...files, 'packages/core/src/index.ts': `export { shut } from './open.ts'\n` })
  expect(() => publicNames(join(root, 'packages/core/src/index.ts'))).toThrow('shut')
})

test('each package has a page with a part for each entry', () => {
  const exports = { '.': { 'turnloop-source': './src/index.ts' }, './open': { 'turnloop-source': './src/open.ts' } }
  const manifest = JSON.stringify({ name: '@turnloop/core', description: 'Doors.', exports })
  const other = { 'package.json': '{}' }
  const root = makeTree({ ...other, ...files, 'packages/core/package.json': manifest, ...WITHOUT_SOURCES })
  const text = apiReference(root).get('docs/api/core.md')
  expect(text).toContain('## @turnloop/core\n')
  expect(text).toContain('## @turnloop/core/open\n\n[`Door`](#door) · [`hidden`](#hidden)')
})

/** The other packages of the tree have no sources. */
const WITHOUT_SOURCES = Object.fromEntries(
  ['testing', 'near', 'far'].map((name) => [
    `packages/${name}/package.json`,
    JSON.stringify({ name: `@turnloop/${name}`, exports: {} }),
  ]),
)
