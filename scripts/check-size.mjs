import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { isMain, report, repository } from './report.mjs'
import { refreshSizes } from './size-table.mjs'
import { readUnits } from './workspace.mjs'

/**
 * KB of gzip (1 KB = 1,000 bytes) that an entry may weigh, dependencies apart.
 *
 * For core that is everything it exports at once; a bundler drops what a page does not use. Raise a number only with the
 * reason in the commit.
 */
const BUDGETS = { core: 29, react: 3, indexeddb: 4, worker: 3.2, 'ai-sdk': 7.5 }

/**
 * Bundle and minify every published entry with what it imports from its own package, and weigh it.
 *
 * @param {string} root
 * @returns {Promise<Map<string, number>>} KB by name: `core`, `core/json-schema`, and so on.
 */
export async function measure(root) {
  const sizes = new Map()
  for (const { folder, manifest } of readUnits(root).filter((unit) => unit.folder.startsWith('packages/'))) {
    const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    for (const [entry, targets] of Object.entries(manifest.exports)) {
      const file = join(root, folder, targets['turnloop-source'])
      const name = manifest.name.replace('@turnloop/', '') + entry.slice(1)
      if (existsSync(file)) sizes.set(name, await weigh(file, outside))
    }
  }
  return sizes
}

/** @param {string} entry @param {readonly string[]} outside @returns {Promise<number>} */
async function weigh(entry, outside) {
  const isOutside = (/** @type {string} */ id) => outside.some((name) => id === name || id.startsWith(`${name}/`))
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry, formats: ['es'], fileName: 'entry' },
      rolldownOptions: { external: isOutside, output: { minify: true } },
    },
  })
  const chunks = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []))
  const code = chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')
  return gzipSync(code, { level: 9 }).byteLength / 1000
}

/** @param {Map<string, number>} sizes @returns {string[]} */
function overBudget(sizes) {
  return Object.entries(BUDGETS)
    .filter(([name, budget]) => (sizes.get(name) ?? 0) > budget)
    .map(([name, budget]) => `${name} weighs ${sizes.get(name)?.toFixed(1)} KB, more than its ${budget} KB`)
}

if (isMain(import.meta.url)) {
  const sizes = await measure(repository)
  for (const [name, kb] of sizes) console.log(`${name.padEnd(18)} ${kb.toFixed(1).padStart(5)} KB gzip`)
  const readme = join(repository, 'README.md')
  const text = readFileSync(readme, 'utf8')
  const fresh = refreshSizes(text, readUnits(repository), sizes)
  const isWriting = process.argv.includes('--write')
  if (isWriting && fresh !== text) writeFileSync(readme, fresh)
  const stale = fresh === text || isWriting ? [] : ['README.md: the table of sizes is out of date: npm run fix']
  report('sizes are within their budgets', [...overBudget(sizes), ...stale])
}
