import { type BrowserContext, test as base, expect } from '@playwright/test'

export { expect }

/** Everything the browser complained about during a test: a complaint that nobody expected fails it. */
export interface Complaints {
  /** Let complaints of this kind pass for the rest of the test. */
  expect(pattern: RegExp): void
  /** Listen to another context too; the test's own is listened to from the start. */
  listen(context: BrowserContext): void
}

/** What Chromium says to the console when it is asked whether it offers a model, and does not. */
const NO_MODEL_SERVICE = /Unable to create a text session because the service is not running/

/** What Playwright says where it keeps service workers out, which would answer requests that a test wants to answer. */
const NO_SERVICE_WORKER = /Service Worker registration blocked by Playwright/

/** Playwright's `test`, failing on console errors and warnings, uncaught errors, unhandled rejections and crashed pages. */
export const test = base.extend<{ complaints: Complaints }>({
  complaints: [
    async ({ context }, use) => {
      const heard: string[] = []
      const expected: RegExp[] = [NO_MODEL_SERVICE, NO_SERVICE_WORKER]
      const complaints: Complaints = {
        expect: (pattern) => void expected.push(pattern),
        listen: (other) => listen(other, (complaint) => void heard.push(complaint)),
      }
      complaints.listen(context)
      await use(complaints)
      const surprises = heard.filter((complaint) => !expected.some((pattern) => pattern.test(complaint)))
      expect(surprises, 'what the browser complained about').toEqual([])
    },
    { auto: true },
  ],
})

function listen(context: BrowserContext, hear: (complaint: string) => void): void {
  context.on('console', (message) => {
    const level = message.type()
    if (level === 'error' || level === 'warning')
      hear(`console.${level}: ${message.text()} (${message.location().url})`)
  })
  // Uncaught errors and unhandled rejections of every page.
  context.on('weberror', (event) => hear(`uncaught: ${event.error().stack ?? event.error().message}`))
  context.on('page', (page) => page.on('crash', () => hear(`crashed: ${page.url()}`)))
}
