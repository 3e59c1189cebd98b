import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build, defaultClientConditions } from 'vite'
import { bench } from './places.mjs'

/** @typedef {{ minified: number, gzip: number, brotli: number, lazy: number }} Weight Bytes; `lazy`: gzip of what is loaded later. */

/**
 * Bundle and minify the smallest programs for a browser, React left out, each into a folder of its own.
 *
 * @param {readonly string[]} names
 * @returns {Promise<{ folder: string, weights: Map<string, Weight> }>} `folder` holds `NAME/entry.mjs` for each. One that
 *   does not bundle is reported on stderr and left out.
 */
export async function bundleEntries(names) {
  const folder = join(bench, 'dist', 'entries')
  const weights = new Map()
  for (const name of names) {
    try {
      weights.set(name, await bundleOne(name, join(folder, name)))
    } catch (error) {
      console.error(`${name} W6: ${String(error).slice(0, 400)}`)
    }
  }
  return { folder, weights }
}

/** @param {string} name @param {string} outDir @returns {Promise<Weight>} */
async function bundleOne(name, outDir) {
  await rm(outDir, { recursive: true, force: true })
  const built = await build({
    root: bench,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['turnloop-source', ...defaultClientConditions] },
    build: {
      outDir,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: { entry: join(bench, 'entries', `${name}.mjs`) },
        external: /^react(-dom)?($|\/)/,
        preserveEntrySignatures: 'strict',
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: 'chunk-[hash].mjs' },
      },
    },
  })
  const outputs = [built].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []))
  const chunks = new Map(outputs.flatMap((output) => (output.type === 'chunk' ? [[output.fileName, output]] : [])))
  const first = reachable(chunks, 'entry.mjs')
  const codes = await Promise.all(
    [...chunks.keys()].map(async (file) => ({ isFirst: first.has(file), code: await readFile(join(outDir, file)) })),
  )
  const weigh = (/** @type {boolean} */ isFirst, /** @type {(code: Buffer) => number} */ bytes) =>
    codes.reduce((sum, chunk) => (chunk.isFirst === isFirst ? sum + bytes(chunk.code) : sum), 0)
  const gzip = (/** @type {Buffer} */ code) => gzipSync(code, { level: 9 }).length
  return {
    minified: weigh(true, (code) => code.length),
    gzip: weigh(true, gzip),
    brotli: weigh(true, (code) => brotliCompressSync(code).length),
    lazy: weigh(false, gzip),
  }
}

/** What a page must fetch before it can begin: a file and all that it imports. @param {ReadonlyMap<string, { imports: string[] }>} chunks @param {string} entry */
function reachable(chunks, entry) {
  const found = new Set([entry])
  for (const file of found) for (const next of chunks.get(file)?.imports ?? []) if (chunks.has(next)) found.add(next)
  return found
}
