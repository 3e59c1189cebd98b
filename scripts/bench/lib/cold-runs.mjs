import { inTurns } from './peers.mjs'
import { Samples } from './samples.mjs'
import { launchChromium, mainThreadMeter, serveFiles } from './site.mjs'

/** How much slower the CPU is made, and whether the file begins with the compile hint. */
export const COLD_CASES = [
  { id: 'W7', slowed: 1, hint: false },
  { id: 'W7 slowed', slowed: 4, hint: false },
  { id: 'W7 hint', slowed: 1, hint: true },
  { id: 'W7 slowed, hint', slowed: 4, hint: true },
]

const PAGE = '<!doctype html><title>cold start</title>'

/**
 * Import a bundle in a fresh Chromium context and run its first turn, peers taking turns.
 *
 * @param {{ folder: string, peers: readonly string[], rounds: number }} options
 * @returns {Promise<Samples>} A peer that fails is reported on stderr and left out.
 */
export async function measureColdStarts({ folder, peers, rounds }) {
  const site = await serveFiles([folder], PAGE)
  const browser = await launchChromium()
  const samples = new Samples()
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { id, slowed, hint } of COLD_CASES) {
        for (const peer of inTurns(peers, round)) {
          try {
            const path = `/${peer}/entry.mjs${hint ? '?hint' : ''}`
            samples.add(id, peer, await start(browser, { url: site.url, path, slowed }))
          } catch (error) {
            console.error(`${peer} W7: ${String(error).slice(0, 400)}`)
          }
        }
      }
    }
    console.error(`Cold start: ${rounds} rounds done`)
  } finally {
    await browser.close()
    site.close()
  }
  return samples
}

/** @param {import('playwright').Browser} browser @param {{ url: string, path: string, slowed: number }} options */
async function start(browser, { url, path, slowed }) {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${url}/`)
    const cdp = await context.newCDPSession(page)
    const cpuMs = await mainThreadMeter(cdp)
    if (slowed > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowed })
    const before = await cpuMs()
    const { text, ...times } = await page.evaluate(async (file) => {
      const startedAt = performance.now()
      const { firstTurn } = await import(file)
      const importedAt = performance.now()
      const said = await firstTurn()
      const endedAt = performance.now()
      return { importMs: importedAt - startedAt, turnMs: endedAt - importedAt, ms: endedAt - startedAt, text: said }
    }, path)
    const after = await cpuMs()
    if (text !== 'sum 3') throw new Error(`said ${JSON.stringify(text)} instead of "sum 3"`)
    return { ...times, cpuMs: after - before }
  } finally {
    await context.close()
  }
}
