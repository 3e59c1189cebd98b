import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** @typedef {import('./engines.mjs').Engine} Engine */

/**
 * @typedef {object} EngineMachine What setting up Firefox and WebKit needs of the machine; tests bring their own.
 * @property {() => readonly Engine[]} find
 * @property {(engine: Engine) => Promise<void>} start Open a page in it once; rejects where that does not work.
 * @property {(command: readonly string[]) => boolean} run Whether it ended with 0.
 * @property {boolean} isRoot
 * @property {boolean} hasApt
 * @property {boolean} isCi
 */

/**
 * Find the engines beside Chromium that start. Where CI runs, what is missing is installed; elsewhere half a gigabyte is for
 * its owner to ask for.
 *
 * @param {EngineMachine} machine
 * @returns {Promise<{ ready: Engine[], skipped: string[] }>} `skipped`: a line each, with the reason and the repair.
 */
export async function ensureEngines(machine) {
  if (machine.isCi) for (const engine of machine.find()) if (engine.missing !== undefined) install(engine, machine)
  const ready = []
  const skipped = []
  for (const engine of machine.find()) {
    const trouble = engine.missing ?? (await failureOf(engine, machine))
    if (trouble === undefined) ready.push(engine)
    else skipped.push(`SKIPPED: no test runs in ${engine.title}: ${trouble}. ${REPAIRS[engine.name]}`)
  }
  return { ready, skipped }
}

const REPAIRS = {
  firefox: 'Get it with: npx playwright install firefox, or apt-get install firefox-esr.',
  webkit: 'Get it with: npx playwright install webkit, or apt-get install webkit2gtk-driver xvfb.',
}

const PACKAGES = { firefox: ['firefox-esr'], webkit: ['webkit2gtk-driver', 'xvfb'] }

/** @param {Engine} engine @param {EngineMachine} machine */
function install({ name }, { run, isRoot, hasApt }) {
  // Debian and its kin have both, and their mirrors are in reach where a browser vendor's store may not be.
  const apt = ['apt-get', 'install', '-y', '--no-install-recommends', ...PACKAGES[name]]
  if (isRoot && hasApt && run(['apt-get', 'update']) && run(apt)) return
  const playwright = [process.execPath, join(dirname(createRequire(import.meta.url).resolve('playwright')), 'cli.js')]
  if (run([...playwright, 'install', name]) && isRoot) run([...playwright, 'install-deps', name])
}

/** @param {Engine} engine @param {EngineMachine} machine @returns {Promise<string | undefined>} */
async function failureOf(engine, { start }) {
  try {
    await start(engine)
    return undefined
  } catch (error) {
    return `it does not start (${String(error instanceof Error ? error.message : error).split('\n', 1)[0]})`
  }
}
