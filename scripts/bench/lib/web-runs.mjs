import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { browserArguments, findBrowser } from '../../browser.mjs'
import { bundle } from './bundle.mjs'
import { inTurns } from './peers.mjs'
import { Results } from './results.mjs'
import { casesOf } from './workloads.mjs'

// Answered here and not by a server: nothing leaves the machine.
const ORIGIN = 'http://bench.localhost'

// A page that is isolated has the finer clock.
const headers = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

/**
 * Measure peers in Chromium, each peer and round in a page of its own, peers taking turns.
 *
 * @param {{ peers: readonly string[], workloads: readonly string[], rounds: number, budgetMs: number }} options
 * @returns {Promise<Results>} A peer that fails is reported on stderr and left out.
 */
export async function measureInChromium({ peers, workloads, rounds, budgetMs }) {
  const entries = Object.fromEntries(peers.map((peer) => [peer, `peers/${peer}.mjs`]))
  const folder = await bundle({ ...entries, page: 'web/page.mjs' }, 'web')
  const browser = await chromium.launch({ ...findBrowser(), args: [...browserArguments, '--js-flags=--expose-gc'] })
  const results = new Results()
  try {
    for (let round = 0; round < rounds; round++) {
      for (const peer of inTurns(peers, round)) {
        const context = await browser.newContext()
        try {
          const page = await openPage(context, folder, peer)
          const ids = workloads.flatMap((workload) => casesOf(workload).map(({ id }) => id))
          for (const id of ids) results.add(peer, [await measure(page, id, budgetMs)])
        } catch (error) {
          console.error(`${peer}: ${String(error).slice(0, 400)}`)
        }
        await context.close()
      }
      console.error(`Chromium: round ${round + 1} of ${rounds} done`)
    }
  } finally {
    await browser.close()
  }
  return results
}

/** @param {import('playwright').BrowserContext} context @param {string} folder @param {string} peer */
async function openPage(context, folder, peer) {
  const page = await context.newPage()
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html>' })
    return route.fulfill({ contentType: 'text/javascript', headers, body: await readFile(join(folder, pathname)) })
  })
  await page.goto(ORIGIN)
  await page.evaluate(async (name) => {
    const { createBench } = await import(/** @type {string} */ ('/page.mjs'))
    const { default: subject } = await import(`/${name}.mjs`)
    Object.assign(globalThis, { bench: createBench(subject) })
  }, peer)
  return page
}

/** @param {import('playwright').Page} page @param {string} id @param {number} budgetMs */
async function measure(page, id, budgetMs) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpuMs = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  const turns = await call(page, 'warm', id, budgetMs / 2)
  await call(page, 'prepare', id, turns)
  const before = await cpuMs()
  const figures = await call(page, 'play')
  const after = await cpuMs()
  await cdp.detach()
  return { id, ...figures, cpuMs: (after - before) / turns }
}

/** Call the page's bench. @param {import('playwright').Page} page @param {string} method @param {...unknown} given */
const call = (page, method, ...given) =>
  page.evaluate((asked) => /** @type {any} */ (globalThis).bench[asked.method](...asked.given), { method, given })
