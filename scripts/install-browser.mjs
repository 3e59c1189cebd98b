import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * @typedef {object} Machine What setting up a browser needs of the machine; tests bring their own.
 * @property {() => { executablePath?: string } | undefined} find
 * @property {(options: { executablePath?: string }) => Promise<string>} launch Start it once; resolves with its version.
 * @property {(command: readonly string[]) => boolean} run Whether it ended with 0.
 * @property {boolean} isRoot
 * @property {boolean} hasApt
 */

/**
 * Find a Chromium that starts, or install one: Playwright's own, else, as root on Debian and its kin, the system's.
 *
 * @param {Machine} machine
 * @returns {Promise<string>} One line that says what was found or done.
 * @throws {Error} If there is none in the end; the message names the repair.
 */
export async function ensureBrowser(machine) {
  const found = machine.find()
  if (found !== undefined) return `Browser: ${await start(machine, found)}`
  for (const [what, install] of installers(machine)) {
    const installed = install() ? machine.find() : undefined
    if (installed !== undefined) return `Browser: installed ${what}: ${await start(machine, installed)}`
  }
  throw new Error(`Found no Chrome or Chromium and could not install one. ${REPAIR}`)
}

const REPAIR = 'Install one and set CHROME_PATH to its executable, for example CHROME_PATH=/usr/bin/chromium.'

/** @param {Machine} machine @returns {[what: string, install: () => boolean][]} */
function installers({ run, isRoot, hasApt }) {
  const playwright = [process.execPath, join(dirname(createRequire(import.meta.url).resolve('playwright')), 'cli.js')]
  const own = () => {
    // The download comes first: where it is out of reach, the libraries it needs would be installed for nothing.
    const isThere = run([...playwright, 'install', 'chromium'])
    // On systems it does not know this fails, and the libraries may be there all the same: starting it will tell.
    if (isThere && isRoot) run([...playwright, 'install-deps', 'chromium'])
    return isThere
  }
  const debian = () =>
    run(['apt-get', 'update']) && run(['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'])
  return isRoot && hasApt
    ? [
        ["Playwright's Chromium", own],
        ['the chromium package', debian],
      ]
    : [["Playwright's Chromium", own]]
}

/** @param {Machine} machine @param {{ executablePath?: string }} browser */
async function start({ launch }, browser) {
  const place = browser.executablePath ?? "Playwright's own"
  try {
    return `Chromium ${await launch(browser)}, ${place}`
  } catch (cause) {
    const first = String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]
    const libraries = browser.executablePath
      ? ''
      : ' If libraries are missing: sudo npx playwright install-deps chromium.'
    throw new Error(`${place} does not start (${first}).${libraries} ${REPAIR}`, { cause })
  }
}
