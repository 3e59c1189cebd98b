import { defineConfig } from '@playwright/test'
import { browserArguments, findBrowser } from './scripts/browser.mjs'

const port = process.env.PORT ?? '5199'
const baseURL = `http://127.0.0.1:${port}`
const vite = 'node_modules/vite/bin/vite.js'
/** From the playground's folder, where Vite looks. */
const page = `../../test-results/page-${port}`

export default defineConfig({
  testDir: 'apps/playground/e2e',
  // By port, so that two runs at once do not clear away each other's traces.
  outputDir: `test-results/${port}`,
  workers: 2,
  fullyParallel: true,
  retries: 0,
  // A machine that is busy is slow, not wrong: a test that passes does not wait any longer for it.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
  use: {
    baseURL,
    trace: 'retain-on-failure',
    launchOptions: { ...findBrowser(), args: browserArguments },
  },
  projects: [{ name: 'chromium', use: { browserName: 'chromium' } }],
  webServer: {
    // The built page: what people get, under its own CSP, and nothing reloads it in the middle of a test. The program
    // itself, not npx: ending npx would leave the server behind.
    command: `node ${vite} build --logLevel error --outDir ${page} && node ${vite} preview --outDir ${page} --host 127.0.0.1 --port ${port} --strictPort`,
    url: baseURL,
    reuseExistingServer: false,
  },
})
