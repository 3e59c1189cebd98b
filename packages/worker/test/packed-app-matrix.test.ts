import { type Browser, chromium, type LaunchOptions } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PackedApp, packApp, type Served } from './packed/packed-app.ts'

let app: PackedApp
let browser: Browser

beforeAll(async () => {
  // The scripts of the workspace are plain JavaScript, so they come by URL.
  const scripts: { findBrowser(): LaunchOptions | undefined; browserArguments: string[] } = await import(
    new URL('../../../scripts/browser.mjs', import.meta.url).href
  )
  ;[app, browser] = await Promise.all([
    packApp(),
    chromium.launch({ ...scripts.findBrowser(), args: scripts.browserArguments }),
  ])
}, 120_000)

afterAll(async () => {
  await Promise.all([browser.close(), app.remove()])
})

/** What the page of an application says, and what its console says about the CSP. */
async function visit(served: Served): Promise<{ add: unknown; code: unknown }> {
  const page = await browser.newPage()
  try {
    await page.goto(served.url)
    // A development server may find a package late, and then reloads the page.
    await page.waitForFunction(() => document.title.startsWith('{'), undefined, { timeout: 60_000 })
    return JSON.parse(await page.title())
  } finally {
    await page.close()
    await served.close()
  }
}

function csp(...directives: string[]): Record<string, string> {
  return { 'Content-Security-Policy': ["default-src 'none'", ...directives].join('; ') }
}

const works = { add: 5, code: { value: [2, 4] } }

it('the installed package works on a development server (G1)', async () => {
  expect(await visit(await app.develop())).toEqual(works)
})

it('the installed package works when built (G1)', async () => {
  expect(await visit(await app.serveBuilt({}))).toEqual(works)
})

it('a strict CSP needs no more than wasm-unsafe-eval (G5)', async () => {
  const headers = csp("script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'", "connect-src 'self'")
  expect(await visit(await app.serveBuilt(headers))).toEqual(works)
})

it('a CSP without worker-src lets a worker of the same origin run (G5)', async () => {
  const headers = csp("script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self'")
  expect(await visit(await app.serveBuilt(headers))).toEqual(works)
})

it('a CSP without wasm-unsafe-eval refuses the sandbox alone, which says what to allow (G5)', async () => {
  const { add, code } = await visit(await app.serveBuilt(csp("script-src 'self'", "connect-src 'self'")))
  expect(add).toBe(5)
  expect(code).toContain("a CSP has to allow 'wasm-unsafe-eval'")
})

it('a CSP that allows no worker is named in the error (G5)', async () => {
  const headers = csp("script-src 'self' 'wasm-unsafe-eval'", "worker-src 'none'", "connect-src 'self'")
  expect((await visit(await app.serveBuilt(headers))).add).toContain("worker-src 'self'")
})
