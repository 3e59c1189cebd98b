import { join } from 'node:path'
import { bundle } from './bundle.mjs'
import { inTurns } from './peers.mjs'
import { bench } from './places.mjs'
import { Samples } from './samples.mjs'
import { launchChromium, mainThreadMeter, serveFiles } from './site.mjs'

/** The cases of W5: how many deltas, how fast, and what rows. */
export const REACT_CASES = [
  { id: 'burst', deltas: 5000, paceMs: 0, rows: 'memo' },
  { id: 'paced', deltas: 1000, paceMs: 2, rows: 'memo' },
  { id: 'plain rows', deltas: 1000, paceMs: 2, rows: 'plain' },
]

const PAGE = `<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; font: 14px/1.4 sans-serif; }
  #root { height: 600px; overflow: auto; contain: strict; }
  .row { padding: 4px 8px; border-bottom: 1px solid #ddd; }
  .row p { margin: 0; }
</style>
<div id="root"></div>`

const LONGEST_MS = 90_000

/**
 * Measure streaming into React in Chromium, each peer, case and round in a page of its own, peers taking turns.
 *
 * Commits come from one more run of each, in React's profiling build.
 *
 * @param {{ peers: readonly string[], rounds: number }} options
 * @returns {Promise<Samples>} A peer that fails is reported on stderr and left out.
 */
export async function measureReact({ peers, rounds }) {
  const entries = Object.fromEntries(peers.map((peer) => [peer, `react/peers/${peer}.jsx`]))
  const folder = await bundle(entries, 'web')
  const profiled = await bundle(entries, 'web', { isProfiled: true })
  const site = await serveFiles([folder, join(bench, 'react')], PAGE)
  const profilingSite = await serveFiles([profiled, join(bench, 'react')], PAGE)
  const browser = await launchChromium()
  const samples = new Samples()
  try {
    for (let round = 0; round < rounds; round++) {
      for (const point of REACT_CASES) {
        for (const peer of inTurns(peers, round)) {
          try {
            samples.add(point.id, peer, await measure(browser, `${site.url}/`, { peer, point }))
            if (round > 0) continue
            const { commits } = await measure(browser, `${profilingSite.url}/`, { peer, point })
            samples.add(`${point.id} profiled`, peer, { commits: commits ?? Number.NaN })
          } catch (error) {
            console.error(`${peer} W5 ${point.id}: ${String(error).slice(0, 400)}`)
          }
        }
      }
      console.error(`React: round ${round + 1} of ${rounds} done`)
    }
  } finally {
    await browser.close()
    site.close()
    profilingSite.close()
  }
  return samples
}

/**
 * One answer into one fresh page.
 *
 * @param {import('playwright').Browser} browser
 * @param {string} url
 * @param {{ peer: string, point: (typeof REACT_CASES)[number] }} subject
 * @returns {Promise<Record<string, number>>}
 */
async function measure(browser, url, { peer, point }) {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } })
  try {
    const page = await context.newPage()
    await openPeer(page, url, { peer, rows: point.rows })
    const cpuMs = await mainThreadMeter(await context.newCDPSession(page))
    await page.evaluate(() => globalThis.gc?.())
    const before = await cpuMs()
    const figures = await play(page, point)
    return { ...figures, cpuMs: (await cpuMs()) - before }
  } finally {
    await context.close()
  }
}

/** @param {import('playwright').Page} page @param {string} url @param {{ peer: string, rows: string }} options */
export async function openPeer(page, url, { peer, rows }) {
  await page.goto(url)
  await page.evaluate(
    async ([name, kind]) => {
      const { default: subject } = await import(/** @type {string} */ (`/${name}.mjs`))
      await subject.open(kind)
      Object.assign(globalThis, { bench: subject })
    },
    [peer, rows],
  )
}

/** @param {import('playwright').Page} page @param {{ deltas: number, paceMs: number }} point */
export async function play(page, { deltas, paceMs }) {
  /** @type {string[]} */
  const errors = []
  page.on('pageerror', (error) => errors.push(String(error)))
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${LONGEST_MS} ms; ${errors.join(', ')}`)), LONGEST_MS)
  })
  const run = page.evaluate((options) => /** @type {any} */ (globalThis).bench.run(options), { deltas, paceMs })
  try {
    return await Promise.race([run, late])
  } finally {
    clearTimeout(timer)
  }
}
