import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
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

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Where installers put a browser without putting it on the PATH. */
const PLACES = [
  '/usr/bin/chromium',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...[process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].flatMap((folder) =>
    folder ? [join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')] : [],
  ),
]

/**
 * Find a Chromium to test with: what CHROME_PATH names, else Playwright's own, else an installed Chrome or Chromium.
 *
 * @returns {{ executablePath?: string } | undefined} Launch options for Playwright; empty for its own. That the file is
 *   there is all that is known.
 */
export function findBrowser() {
  const { CHROME_PATH, PATH = '' } = process.env
  if (CHROME_PATH) return { executablePath: CHROME_PATH }
  if (existsSync(chromium.executablePath())) return {}
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const executablePath = [...onPath, ...PLACES].find((path) => existsSync(path))
  return executablePath === undefined ? undefined : { executablePath }
}
