import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright'
import { browserArguments, findBrowser } from '../../browser.mjs'

/** Asks V8 to compile a whole file while it is loaded, beside the main thread; other engines pass it over. */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad\n'

const TYPES = { '.html': 'text/html', '.mjs': 'text/javascript' }

/**
 * Serve built files to this machine only; each is compressed once, and with `?hint` begins with the compile hint. The pages
 * are isolated, for the finer clock.
 *
 * @param {readonly string[]} folders Where a file is looked for, in turn.
 * @param {string} page What stands at the address itself.
 * @returns {Promise<{ url: string, close(): void }>} The address, without a slash at its end.
 */
export async function serveFiles(folders, page) {
  /** @type {Map<string, Promise<Buffer>>} */
  const bodies = new Map()
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname, search } = new URL(url, 'http://localhost')
    const path = normalize(pathname)
    const prefix = search === '?hint' ? COMPILE_HINT : ''
    const key = `${prefix}${path}`
    if (!bodies.has(key)) {
      bodies.set(key, path === '/' ? Promise.resolve(gzipSync(page)) : readPacked(folders, path, prefix))
    }
    try {
      const body = await bodies.get(key)
      response.writeHead(200, {
        'content-type':
          TYPES[/** @type {keyof typeof TYPES} */ (extname(path) || '.html')] ?? 'application/octet-stream',
        'content-encoding': 'gzip',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'cache-control': 'no-store',
      })
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** @param {readonly string[]} folders @param {string} path @param {string} prefix */
async function readPacked([folder = '', ...others], path, prefix) {
  try {
    return gzipSync(Buffer.concat([Buffer.from(prefix), await readFile(join(folder, path))]))
  } catch (error) {
    if (others.length === 0) throw error
    return readPacked(others, path, prefix)
  }
}

/** A Chromium that runs pages in the background as fast as in front, and collects garbage when it is asked to. */
export const launchChromium = () =>
  chromium.launch({
    ...findBrowser(),
    args: [
      ...browserArguments,
      '--js-flags=--expose-gc',
      '--disable-background-timer-throttling',
      '--disable-renderer-backgrounding',
    ],
  })

/**
 * Tells the CPU time of a page's main thread in ms, from an arbitrary start: what the neighbours take is not in it.
 *
 * @param {import('playwright').CDPSession} cdp
 * @returns {Promise<() => Promise<number>>}
 */
export async function mainThreadMeter(cdp) {
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
}
