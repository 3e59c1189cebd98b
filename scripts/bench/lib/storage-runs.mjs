import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright'
import { browserArguments, findBrowser } from '../../browser.mjs'
import { bundle } from './bundle.mjs'

/** Answered here; a place that is trusted, so that there are locks. */
const ORIGIN = 'http://storage.localhost'

/** A page that is isolated has the finer clock. */
const headers = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

/**
 * @typedef {object} StorageFigures Medians in ms.
 * @property {Record<string, Record<string, number>>} [appends] By number of messages, then by way.
 * @property {Record<string, number>} [loads] By way.
 */

/**
 * Measure sessions in IndexedDB beside what is done by hand, in Chromium.
 *
 * @param {{ workloads: readonly string[], rounds: number }} options
 * @returns {Promise<StorageFigures>}
 */
export async function measureStorage({ workloads, rounds }) {
  const folder = await bundle({ storage: 'web/storage.mjs' }, 'web')
  const browser = await chromium.launch({ ...findBrowser(), args: browserArguments })
  try {
    const page = await browser.newPage()
    await page.route(`${ORIGIN}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html>' })
      return route.fulfill({ contentType: 'text/javascript', headers, body: await readFile(join(folder, pathname)) })
    })
    await page.goto(ORIGIN)
    const run = (/** @type {string} */ name) =>
      page.evaluate(
        async ([method = '', count = 0]) => (await import(/** @type {string} */ ('/storage.mjs')))[method](count),
        /** @type {const} */ ([name, rounds]),
      )
    return {
      ...(workloads.includes('S1') && { appends: await run('measureAppends') }),
      ...(workloads.includes('S2') && { loads: await run('measureLoads') }),
    }
  } finally {
    await browser.close()
  }
}
