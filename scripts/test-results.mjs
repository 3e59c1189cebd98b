import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { repository } from './report.mjs'
import { nameOf, trouble } from './troubles.mjs'

/** @typedef {import('./troubles.mjs').Trouble} Trouble */

/**
 * What a run of tests came to.
 *
 * @typedef {object} TestResults
 * @property {number} passed Those included that passed only when tried again. A skipped test counts as neither.
 * @property {number} failed
 * @property {readonly Trouble[]} troubles In the order of the report.
 */

/**
 * The results in a report of Vitest (vitest-report.mjs) or of Playwright (its JSON); nothing if there is no report.
 *
 * @param {string} path
 * @returns {TestResults}
 */
export function readResults(path) {
  if (!existsSync(path)) return { passed: 0, failed: 0, troubles: [] }
  const report = JSON.parse(readFileSync(path, 'utf8'))
  return report.suites === undefined ? report : playwrightResults(report)
}

/**
 * @typedef {object} PlaywrightReport
 * @property {{ rootDir: string }} config
 * @property {{ expected: number, unexpected: number, flaky: number }} stats
 * @property {readonly PlaywrightSuite[]} suites
 * @property {readonly { message?: string }[]} [errors]
 *
 * @typedef {object} PlaywrightSuite
 * @property {string} title Of the outermost: the file.
 * @property {string} file
 * @property {readonly PlaywrightSpec[]} [specs]
 * @property {readonly PlaywrightSuite[]} [suites]
 *
 * @typedef {object} PlaywrightSpec
 * @property {string} title
 * @property {readonly { status: string, results: readonly { errors?: readonly { message?: string }[] }[] }[]} tests
 */

/** @param {PlaywrightReport} report @returns {TestResults} */
function playwrightResults({ config, stats, suites, errors = [] }) {
  const troubles = [
    // A server that does not start, a file that does not load.
    ...errors.map((error) => trouble('FAILED', 'Playwright', error)),
    ...suites.flatMap((suite) => suiteTroubles(suite, relative(repository, join(config.rootDir, suite.file)), [])),
  ]
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, troubles }
}

/**
 * @param {PlaywrightSuite} suite
 * @param {string} file
 * @param {readonly string[]} titles Of the suites around it, the file's apart.
 * @returns {Trouble[]}
 */
function suiteTroubles({ specs = [], suites = [] }, file, titles) {
  return [
    ...specs.flatMap((spec) => specTroubles(spec, nameOf(file, [...titles, spec.title]))),
    ...suites.flatMap((inner) => suiteTroubles(inner, file, [...titles, inner.title])),
  ]
}

/** @param {PlaywrightSpec} spec @param {string} name @returns {Trouble[]} */
function specTroubles({ tests }, name) {
  return tests
    .filter(({ status }) => status === 'unexpected' || status === 'flaky')
    .map(({ status, results }) => {
      const [error] = results.flatMap(({ errors = [] }) => errors)
      return trouble(status === 'flaky' ? 'FLAKY' : 'FAILED', name, error)
    })
}
