import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Write a small repository of its own for one test; paths as keys, text as values. Gone when the test is over. */
export function makeTree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'turnloop-tree-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({ ...MANIFESTS, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name: `@turnloop/${name}`, exports: { '.': './src/index.ts' }, ...more })

const withCore = { dependencies: { '@turnloop/core': '0.1.0', idb: '^8.0.0' } }

const MANIFESTS: Record<string, string> = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '1.0.0' } }),
  'packages/core/package.json': manifest('core', {
    dependencies: { '@standard-schema/spec': '1', '@cfworker/json-schema': '4', zustand: '5' },
  }),
  'packages/testing/package.json': manifest('testing', withCore),
  'packages/near/package.json': manifest('near', withCore),
  'packages/far/package.json': manifest('far', withCore),
  'apps/demo/package.json': manifest('demo', withCore),
}
