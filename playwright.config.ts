import { defineConfig } from '@playwright/test'
import { browserArguments, findBrowser } from './scripts/browser.mjs'

const port = Number(process.env.PORT ?? 5199)
const built = `http://127.0.0.1:${port}`
const developing = `http://127.0.0.1:${port + 1}`

const isCi = process.env.CI !== undefined

// The program itself, not npx: ending npx would leave the server behind.
const vite = 'node node_modules/vite/bin/vite.js'
const folder = `../../node_modules/.cache/turnloop/e2e-${port}`
const build = `${vite} build --minify false --logLevel warn --outDir ${folder}`

export default defineConfig({
  testDir: 'apps/playground/e2e',
  // By port, so that two runs at once do not clear away each other's traces.
  outputDir: `test-results/${port}`,
  workers: 2,
  fullyParallel: true,
  // Tried again where machines are slow and shared, and then named by `npm test`; here, what fails has failed.
  retries: isCi ? 2 : 0,
  // A machine that is busy is slow, not wrong: a test that passes does not wait any longer for it.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: isCi,
  reporter: 'list',
  use: {
    // Writing one takes a third of the time; where a test is tried again, the second try is traced.
    trace: isCi ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: { ...findBrowser(), args: browserArguments },
  },
  projects: [
    // Without the copy that the page keeps of itself: it would answer what a test wants to answer. Its own tests allow it.
    {
      name: 'playground',
      testIgnore: 'dev-server.spec.ts',
      use: { baseURL: built, serviceWorkers: 'block' },
    },
    { name: 'dev server', testMatch: 'dev-server.spec.ts', use: { baseURL: developing } },
    {
      // Pages that are killed and disks that fail. It builds and serves its own page; each file keeps one browser.
      name: 'durability',
      testDir: 'packages/indexeddb/test/e2e',
      fullyParallel: false,
      use: { trace: 'off' },
    },
  ],
  webServer: [
    {
      // Built once, since every test loads the page afresh, under the content security policy that is published; yet with
      // the React that warns, so that its warnings fail the tests.
      command: `${build} && ${vite} preview --outDir ${folder} --host 127.0.0.1 --port ${port} --strictPort`,
      env: { NODE_ENV: 'development' },
      url: built,
      timeout: 120_000,
      reuseExistingServer: false,
    },
    {
      command: `${vite} --host 127.0.0.1 --port ${port + 1} --strictPort`,
      url: developing,
      reuseExistingServer: false,
    },
  ],
})
