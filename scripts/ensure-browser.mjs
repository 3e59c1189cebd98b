import { chromium } from 'playwright'
import { browserArguments, findBrowser } from './browser.mjs'
import { ensureBrowser } from './install-browser.mjs'
import { thisMachine } from './machine.mjs'

/** @param {{ executablePath?: string }} options */
const launch = async (options) => {
  const browser = await chromium.launch({ ...options, args: browserArguments })
  const version = browser.version()
  await browser.close()
  return version
}

try {
  console.log(await ensureBrowser({ ...thisMachine, find: findBrowser, launch }))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
