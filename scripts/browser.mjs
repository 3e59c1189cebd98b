import { existsSync } from 'node:fs'
import { chromium } from 'playwright'

/** Flags that let Chromium run as root, in containers and without a network, and change nothing that tests look at. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const INSTALLED = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  `${process.env.PROGRAMFILES}\\Google\\Chrome\\Application\\chrome.exe`,
]

/**
 * Find a Chromium to test with: Playwright's own if it has been downloaded, else an installed Chrome or Chromium.
 *
 * @returns {{ executablePath?: string }} Launch options for Playwright; empty means Playwright's own.
 */
export function findBrowser() {
  if (!process.env.CHROME_PATH && existsSync(chromium.executablePath())) return {}
  const executablePath = INSTALLED.find((path) => path && existsSync(path))
  return executablePath ? { executablePath } : {}
}

/** Whether `findBrowser` has something to offer. */
export function hasBrowser() {
  return findBrowser().executablePath !== undefined || existsSync(chromium.executablePath())
}
