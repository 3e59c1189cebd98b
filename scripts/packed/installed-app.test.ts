import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { browserArguments, findBrowser } from '../browser.mjs'
import { run } from './pack-packages.ts'
import { type PackedApp, packedApp } from './packed-app.ts'

/** As docs/recipes.md tells it. */
const COMPILED_AHEAD = {
  codeSplitting: { groups: [{ name: 'loop', test: /@turnloop[\\/]core/ }] },
  postBanner: ({ name }: { name: string }) => (name === 'loop' ? '//# allFunctionsCalledOnLoad' : ''),
}

let app: PackedApp
let server: PreviewServer
let browser: Browser
/** What `renderToString` and `renderToPipeableStream` gave. */
let rendered: string[]

beforeAll(async () => {
  app = packedApp()
  const config = { root: app.root, configFile: false, logLevel: 'error', worker: { format: 'es' } } as const
  await build({ ...config, build: { ssr: 'server.tsx', outDir: 'server' } })
  await build({ ...config, build: { target: 'es2022', rolldownOptions: { output: COMPILED_AHEAD } } })
  rendered = renderInNode(app.root)
  const html = readFileSync(join(app.root, 'dist/index.html'), 'utf8')
  const [text = ''] = rendered
  writeFileSync(join(app.root, 'dist/server.html'), html.replace('<div id="root">', `$&${text}`))
  server = await preview({ ...config, preview: { port: 0 } })
  browser = await chromium.launch({ ...findBrowser(), args: browserArguments })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await server?.close()
  app?.remove()
})

/** A plain process of Node: no DOM, no flags, and it ends by itself. */
function renderInNode(root: string): string[] {
  const [text = '', streamed = ''] = run(process.execPath, ['server/server.js'], root).split('\n')
  return [JSON.parse(text), streamed]
}

/** Open a page of the application, and collect what its console complains about. */
async function open(path: string, origin?: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const at = new URL(path, server.resolvedUrls?.local[0])
  if (origin !== undefined) {
    await page.route(`${origin}/**`, async (route) => {
      const url = route.request().url().replace(origin, at.origin)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
  }
  await page.goto(origin === undefined ? at.href : `${origin}${path}`)
  return { page, complaints }
}

/** Ask, and wait for the answer that the worker's result is in. */
async function ask(page: Page): Promise<void> {
  await page.locator('main[data-status=idle]').waitFor()
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText('The worker says').waitFor()
  await page.locator('main[data-status=idle]').waitFor()
}

it('a page that came over plain http runs a turn as well, and keeps it', async () => {
  const { page, complaints } = await open('/', 'http://plain.test')
  expect(await page.evaluate(() => isSecureContext)).toBe(false)
  await ask(page)
  const said = await page.locator('p').allTextContents()
  await page.reload()
  await page.getByText('The worker says').waitFor()
  expect(await page.locator('p').allTextContents()).toEqual(said)
  expect(complaints).toEqual([])
})

it('the built loop, and nothing else, begins with the compile hint', () => {
  const assets = join(app.root, 'dist/assets')
  const scripts = readdirSync(assets).filter((file) => file.endsWith('.js'))
  const hinted = scripts.filter((file) =>
    readFileSync(join(assets, file), 'utf8').startsWith('//# allFunctionsCalledOnLoad\n'),
  )
  expect(hinted).toEqual([expect.stringMatching(/^loop-/)])
})

it('a built page runs a turn with a tool in a worker, and keeps it', async () => {
  const { page, complaints } = await open('/')
  await ask(page)
  const said = await page.locator('p').allTextContents()
  await page.reload()
  await page.getByText('The worker says').waitFor()
  expect(await page.locator('p').allTextContents()).toEqual(said)
  expect(said).toEqual(['What is 2 + 3?', '', 'The worker says [{"type":"text","text":"5"}]'])
  expect(complaints).toEqual([])
})

it.each(['index.js', 'devtools.js'])('React server components take %s for client code', (file) => {
  const code = readFileSync(join(app.root, 'node_modules/@turnloop/react/dist', file), 'utf8')
  expect(code).toMatch(/^['"]use client['"]/)
})

it('plain Node renders the page, as text and as a stream', () => {
  expect(rendered).toEqual(Array(2).fill('<main data-status="loading"><button type="button">Ask</button></main>'))
})

it('what a server rendered is taken over without a warning', async () => {
  const { page, complaints } = await open('/server.html')
  await ask(page)
  expect(await page.locator('p').count()).toBe(3)
  expect(complaints).toEqual([])
})
