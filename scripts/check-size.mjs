import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { isMain, report, repository } from './report.mjs'
import { refreshSizes } from './size-table.mjs'
import { readUnits } from './workspace.mjs'

/** What a page with one agent and one tool carries of core; sessions, compaction, structured output are left out. */
export const ONE_TOOL = 'core: createAgent and tool'

/**
 * KB of gzip (1 KB = 1,000 bytes) that an entry may weigh, dependencies apart.
 *
 * For core that is everything it exports at once; a bundler drops what a page does not use. Raise a number only with the
 * reason in the commit.
 */
const BUDGETS = {
  // Hooks are 18 of it, sessions in several tabs 7; each comes by import.
  // Steering, edit and regenerate are 1.2 more.
  // Opening a long session by its end is 2.2.
  // What keeps a store in order, large values apart, is 5.
  core: 88,
  [ONE_TOOL]: 32,
  react: 3,
  // Four views, their icons and their style sheet; loaded by developers alone.
  'react/devtools': 20,
  // Saves of a page that goes, bytes by their content, what tells that the browser has deleted it all: a third of it.
  indexeddb: 6.2,
  // The pool with its queue, limits counted from the start, streamed results with acks, what is said when a worker is lost.
  worker: 5.1,
  'worker/serve': 2.7,
  'worker/host': 1.8,
  'worker/connect': 3.2,
  // QuickJS itself is a dependency, loaded by the first call.
  'worker/sandbox': 2.9,
  // The table of what providers take, schemas closed for strict modes, cache marks.
  'ai-sdk': 8.5,
  'ai-sdk/tools': 6,
  'ai-sdk/ui': 9,
  // Phrases in a dozen languages; each guardrail alone is a part of it.
  guardrails: 20,
  // 4 KB come with the page, 3 more with OAuth; the rest is loaded with the first connection, as is the SDK.
  mcp: 16,
  // Most of it mends the schemas of others, as mcp does; the page has it once, where it uses both.
  'mcp/web': 6.5,
}

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
  sizes.set(ONE_TOOL, await weigh(join(root, 'scripts/one-tool.mjs'), []))
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
