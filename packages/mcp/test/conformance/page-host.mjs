import { createServer as createHttpServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright'
import { createServer, defaultClientConditions } from 'vite'
import { browserArguments, findBrowser } from '../../../../scripts/browser.mjs'

const PAGE = '/packages/mcp/test/conformance/page.html'

/**
 * Start a browser that does scenarios in pages: each POST opens a page of its own and is answered with how that ended.
 *
 * The servers of the suite send no CORS headers, so this browser does not ask for them.
 *
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startPageHost() {
  const vite = await createServer({
    configFile: false,
    root: fileURLToPath(new URL('../../../..', import.meta.url)),
    cacheDir: 'node_modules/.cache/turnloop/conformance',
    logLevel: 'error',
    resolve: { conditions: ['turnloop-source', ...defaultClientConditions] },
    optimizeDeps: { entries: [PAGE.slice(1)] },
    server: { host: 'localhost', port: 5299, hmr: false, watch: null },
  })
  await vite.listen()
  const origin = vite.resolvedUrls?.local[0] ?? ''
  const browser = await chromium.launch({ ...findBrowser(), args: [...browserArguments, '--disable-web-security'] })
  /** @param {URLSearchParams} asked */
  const run = async (asked) => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      await page.goto(new URL(`${PAGE}?${asked}`, origin).href)
      await page.waitForFunction(() => /^(done|failed)/.test(document.title), undefined, { timeout: 45_000 })
      return await page.title()
    } finally {
      await context.close()
    }
  }
  const server = createHttpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.end(await run(new URLSearchParams(body)).catch((error) => `failed: ${error}`))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: async () => {
      server.close()
      await browser.close()
      await vite.close()
    },
  }
}
