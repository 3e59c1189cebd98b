import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { firefox, webkit } from 'playwright'

/**
 * @typedef {object} Engine A browser that tests run in beside Chromium, or what is missing for it.
 * @property {'firefox' | 'webkit'} name
 * @property {string} title
 * @property {'playwright' | 'webdriver'} by Who drives it.
 * @property {{ executablePath?: string, channel?: string }} launch For Playwright; empty for its own build.
 * @property {string | undefined} missing Undefined where all is there.
 */

/** WebKitGTK: its driver, the browser that comes with it, and a display that nobody sees. */
export const WEBKIT_GTK = {
  driver: 'WebKitWebDriver',
  display: 'Xvfb',
  browsers: [
    ...['x86_64', 'aarch64'].flatMap((cpu) =>
      ['4.1', '4.0', '6.0'].map((version) => `/usr/lib/${cpu}-linux-gnu/webkit2gtk-${version}/MiniBrowser`),
    ),
    ...['4.1', '4.0', '6.0'].map((version) => `/usr/libexec/webkit2gtk-${version}/MiniBrowser`),
  ],
}

/** @returns {readonly Engine[]} Firefox and WebKit, in this order. That the files are there is all that is known. */
export function findEngines() {
  return [findFirefox(), findWebKit()]
}

/** @returns {Engine} */
function findFirefox() {
  const engine = /** @type {const} */ ({ name: 'firefox', title: 'Firefox', by: 'playwright' })
  if (existsSync(firefox.executablePath())) return { ...engine, launch: {}, missing: undefined }
  const { FIREFOX_PATH } = process.env
  const executablePath = FIREFOX_PATH ?? ['firefox-esr', 'firefox'].map(onPath).find((path) => path !== undefined)
  if (executablePath === undefined) return { ...engine, launch: {}, missing: 'Firefox is not installed' }
  // A Firefox as it is shipped speaks WebDriver BiDi; Playwright's own is patched.
  return { ...engine, launch: { channel: 'moz-firefox', executablePath }, missing: undefined }
}

/** @returns {Engine} */
function findWebKit() {
  const engine = /** @type {const} */ ({ name: 'webkit', title: 'WebKit', launch: {} })
  if (existsSync(webkit.executablePath())) return { ...engine, by: 'playwright', missing: undefined }
  const lacks = [
    ...[WEBKIT_GTK.driver, WEBKIT_GTK.display].filter((name) => onPath(name) === undefined),
    ...(WEBKIT_GTK.browsers.some((path) => existsSync(path)) ? [] : ['MiniBrowser']),
  ]
  const missing = lacks.length === 0 ? undefined : `WebKitGTK is not installed (no ${lacks.join(', no ')})`
  return { ...engine, by: 'webdriver', missing }
}

/** @param {string} name @returns {string | undefined} */
function onPath(name) {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return places.find((path) => existsSync(path))
}
