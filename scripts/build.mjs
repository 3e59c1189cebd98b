import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build as bundle } from 'tsdown'
import { build as buildApp } from 'vite'
import { repository } from './report.mjs'
import { readUnits } from './workspace.mjs'

/** @typedef {import('./workspace.mjs').Unit} Unit */

/** @param {Unit} unit @returns {{ name: string, source: string, built: string[] }[]} */
function entriesOf({ manifest }) {
  return Object.entries(manifest.exports).map(([entry, targets]) => ({
    name: entry === '.' ? 'index' : entry.slice(2),
    source: targets['turnloop-source'],
    built: [targets.types, targets.default],
  }))
}

/**
 * Build every published entry of a package to ESM and declarations in its `dist`.
 *
 * @param {Unit} unit
 */
async function buildPackage(unit) {
  const cwd = join(repository, unit.folder)
  const entries = entriesOf(unit)
  await bundle({
    cwd,
    config: false,
    logLevel: 'warn',
    entry: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
    // What a package depends on stays outside, so nothing is resolved to the sources of a neighbour.
    deps: { neverBundle: [/^@turnloop\//] },
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    sourcemap: true,
  })
  const missing = entries.flatMap(({ built }) => built.filter((path) => !existsSync(join(cwd, path))))
  if (missing.length > 0) throw new Error(`${unit.folder}: the build did not make ${missing.join(', ')}`)
  console.log(`built ${unit.folder}: ${entries.map(({ name }) => name).join(', ')}`)
}

/** Use the built packages as an installed one would be: a turn with a scripted model, in plain Node. */
function tryIt() {
  const { status } = spawnSync(process.execPath, ['scripts/try-build.mjs'], { cwd: repository, stdio: 'inherit' })
  if (status !== 0) throw new Error('the built packages do not work (scripts/try-build.mjs)')
}

const packages = readUnits(repository).filter(({ folder }) => folder.startsWith('packages/'))
for (const unit of packages) await buildPackage(unit)
tryIt()
await buildApp({ configFile: join(repository, 'vite.config.ts'), logLevel: 'warn' })
console.log('built apps/playground')
