import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { build, defaultClientConditions, preview } from 'vite'
import { browserArguments, findBrowser } from '../../../scripts/browser.mjs'

/**
 * Measure what a call of a worker tool costs beside a raw `postMessage` there and back, in Chromium.
 *
 * @returns {Promise<Record<string, { p50: number, p95: number }>>} Microseconds by what was measured.
 */
export async function measureRoundTrips() {
  const outDir = await mkdtemp(join(tmpdir(), 'turnloop-round-trip-'))
  const config = {
    configFile: /** @type {const} */ (false),
    root: fileURLToPath(new URL('page', import.meta.url)),
    logLevel: /** @type {const} */ ('error'),
    resolve: { conditions: ['turnloop-source', ...defaultClientConditions] },
    worker: { format: /** @type {const} */ ('es') },
    build: { outDir, target: 'es2022', emptyOutDir: true },
    // An isolated page has a clock of 5 microseconds; others are kept to 100.
    preview: {
      port: 0,
      headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' },
    },
  }
  await build(config)
  const server = await preview(config)
  const browser = await chromium.launch({ ...findBrowser(), args: browserArguments })
  try {
    const page = await browser.newPage()
    await page.goto(server.resolvedUrls?.local[0] ?? '')
    await page.waitForFunction(() => document.title.startsWith('{'), undefined, { timeout: 120_000 })
    return JSON.parse(await page.title())
  } finally {
    await Promise.all([browser.close(), server.close(), rm(outDir, { recursive: true })])
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, { p50, p95 }] of Object.entries(await measureRoundTrips())) {
    const tail = p95 === null ? '' : `  p95 ${p95.toFixed(0).padStart(5)} us`
    process.stdout.write(`${name.padEnd(38)} ${p50.toFixed(0).padStart(5)} us${tail}\n`)
  }
}
