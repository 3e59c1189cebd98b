/// <reference types="node" />
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BrowserContext,
  test as base,
  expect,
  type Page,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
} from '@playwright/test'
import { openSite, type Site } from './site.ts'

export { expect }

/** A browser with a disk, and pages in it that can be killed. */
export interface Browsing {
  readonly context: BrowserContext
  /** Open the page. */
  visit(): Promise<Page>
  /** What pages complained about and nobody expected. */
  readonly complaints: string[]
}

/** What every test has at hand. */
export interface Ground {
  readonly site: Site
  readonly browsing: Browsing
}

interface WorkerFixtures extends Ground {
  /** A name: files that ask for another one get a browser with a disk of its own. */
  readonly disk: string
}

/** Playwright's `test` with the page built and served once, and one browser on a disk of its own, per worker. */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & WorkerFixtures
> = base.extend<object, WorkerFixtures>({
  disk: ['disk', { scope: 'worker', option: true }],
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: the form that Playwright asks for
    async ({}, use) => {
      const site = await openSite()
      await use(site)
      await site.close()
    },
    { scope: 'worker' },
  ],
  browsing: [
    async ({ playwright, launchOptions, site, disk }, use) => {
      const folder = mkdtempSync(join(tmpdir(), `turnloop-${disk}-`))
      // Not the test's own context: that one keeps IndexedDB in memory.
      const context = await playwright.chromium.launchPersistentContext(folder, { ...launchOptions, headless: true })
      const complaints: string[] = []
      context.on('weberror', (event) => complaints.push(event.error().stack ?? event.error().message))
      const visit = async (): Promise<Page> => {
        const page = await context.newPage()
        await page.goto(site.url)
        return page
      }
      await use({ context, visit, complaints })
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})
