import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { inTurns } from './peers.mjs'
import { Samples } from './samples.mjs'
import { launchChromium, mainThreadMeter } from './site.mjs'

/** Answered here; a place that is trusted, so that there are locks. */
const ORIGIN = 'http://storage.localhost'

/** A page that is isolated has the finer clock. */
const headers = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

/** The sizes of sessions that are measured, in messages. */
const SIZES = [100, 10_000]

/** Ways that write the whole thread again. */
const WHOLE = new Set(['record', 'json'])

/**
 * @typedef {object} StorageFigures
 * @property {Record<string, Samples>} [appends] By number of messages: `cpuMs` and `ms` of one, by way.
 * @property {Record<string, number>} [loads] Medians in ms, by way.
 */

/**
 * Measure sessions in IndexedDB beside what is done by hand, in Chromium.
 *
 * @param {{ workloads: readonly string[], rounds: number }} options
 * @returns {Promise<StorageFigures>}
 */
export async function measureStorage({ workloads, rounds }) {
  const folder = await bundle({ storage: 'web/storage.mjs' }, 'web')
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html>' })
      return route.fulfill({ contentType: 'text/javascript', headers, body: await readFile(join(folder, pathname)) })
    })
    await page.goto(ORIGIN)
    const count = SIZES.at(-1) ?? 0
    return {
      ...(workloads.includes('S1') && { appends: await measureAppends(page, rounds) }),
      ...(workloads.includes('S2') && { loads: await call(page, 'measureLoads', { count, rounds: rounds * 3 }) }),
    }
  } finally {
    await browser.close()
  }
}

/** @param {import('playwright').Page} page @param {number} rounds */
async function measureAppends(page, rounds) {
  const cpuMs = await mainThreadMeter(await page.context().newCDPSession(page))
  /** @type {Record<string, Samples>} */
  const appends = {}
  for (const count of SIZES) {
    const samples = new Samples()
    /** @type {string[]} */
    const ways = await call(page, 'prepareAppends', count)
    // By themselves: what they write, and leave for the collector, would slow the others down.
    const groups = [ways.filter((way) => !WHOLE.has(way)), ways.filter((way) => WHOLE.has(way))]
    for (const group of groups) {
      // The first round compiles, and fills the caches of the database.
      for (let round = -1; round < rounds; round++) {
        for (const way of inTurns(group, Math.max(round, 0))) {
          const figures = await play(page, { way, times: WHOLE.has(way) ? 5 : 50, cpuMs })
          if (round >= 0) samples.add('S1', way, figures)
        }
      }
    }
    appends[count] = samples
  }
  return appends
}

/** @param {import('playwright').Page} page @param {{ way: string, times: number, cpuMs: () => Promise<number> }} options */
async function play(page, { way, times, cpuMs }) {
  await page.evaluate(() => /** @type {any} */ (globalThis).gc())
  const before = await cpuMs()
  const ms = await call(page, 'playAppends', { way, times })
  const after = await cpuMs()
  return { ms, cpuMs: (after - before) / times }
}

/** Call what the page exports. @param {import('playwright').Page} page @param {string} method @param {unknown} given */
const call = (page, method, given) =>
  page.evaluate(
    async ([name, value]) => (await import(/** @type {string} */ ('/storage.mjs')))[name](value),
    /** @type {const} */ ([method, given]),
  )
