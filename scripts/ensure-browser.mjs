import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright'
import { browserArguments, findBrowser } from './browser.mjs'
import { ensureBrowser } from './install-browser.mjs'

/** @type {import('./install-browser.mjs').Machine} */
const thisMachine = {
  find: findBrowser,
  launch: async (options) => {
    const browser = await chromium.launch({ ...options, args: browserArguments })
    const version = browser.version()
    await browser.close()
    return version
  },
  run: ([command = '', ...rest]) => {
    console.log(`Browser: none found; running ${[command, ...rest].join(' ')}`)
    const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000', DEBIAN_FRONTEND: 'noninteractive', ...process.env }
    return spawnSync(command, rest, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0
  },
  isRoot: process.getuid?.() === 0,
  hasApt: existsSync('/usr/bin/apt-get'),
}

try {
  console.log(await ensureBrowser(thisMachine))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
