import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { repository } from './report.mjs'

/**
 * A test that did not pass at once.
 *
 * @typedef {object} Trouble
 * @property {'FAILED' | 'FLAKY'} kind `FLAKY`: it passed when it was tried again.
 * @property {string} name Its file and its title, or the file alone where that could not be loaded.
 * @property {string} error The first line of what went wrong.
 */

/** More would push each other out of the end of a log. */
const MOST_TOLD = 20

/**
 * The tests that did not pass at once, from the JSON report of Vitest or Playwright; none if there is no report.
 *
 * @param {string} path
 * @returns {Trouble[]} In the order of the report.
 */
export function readTroubles(path) {
  if (!existsSync(path)) return []
  const report = JSON.parse(readFileSync(path, 'utf8'))
  return report.suites === undefined ? vitestTroubles(report) : playwrightTroubles(report)
}

/**
 * Troubles as text, what has failed last, where it is seen first.
 *
 * @param {readonly Trouble[]} troubles
 * @returns {string} Two lines each, at most 20 of a kind. Empty if there is none.
 */
export function troublesText(troubles) {
  return ['FLAKY', 'FAILED'].flatMap((kind) => kindText(troubles.filter((trouble) => trouble.kind === kind))).join('\n')
}

/** @param {readonly Trouble[]} troubles @returns {string[]} */
function kindText(troubles) {
  const told = troubles
    .slice(0, MOST_TOLD)
    .map(({ kind, name, error }) => `${kind.padEnd(6)}  ${name}\n        ${error}`)
  const more = troubles.length - told.length
  return more > 0 ? [...told, `        and ${more} more`] : told
}

/**
 * @typedef {object} VitestReport
 * @property {readonly { name: string, status: string, message?: string, assertionResults: readonly VitestTest[] }[]} testResults
 *
 * @typedef {object} VitestTest
 * @property {string} status
 * @property {readonly string[]} ancestorTitles
 * @property {string} title
 * @property {readonly string[]} [failureMessages]
 */

/** @param {VitestReport} report @returns {Trouble[]} */
function vitestTroubles({ testResults = [] }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(repository, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // A file that does not load has no tests.
    if (failed.length === 0 && status === 'failed') return [failure(file, message)]
    return failed.map((test) => {
      return failure(nameOf(file, [...test.ancestorTitles, test.title]), test.failureMessages?.[0])
    })
  })
}

/**
 * @typedef {object} PlaywrightReport
 * @property {{ rootDir: string }} config
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

/** @param {PlaywrightReport} report @returns {Trouble[]} */
function playwrightTroubles({ config, suites, errors = [] }) {
  return [
    // A server that does not start, a file that does not load.
    ...errors.map(({ message }) => failure('Playwright', message)),
    ...suites.flatMap((suite) => suiteTroubles(suite, relative(repository, join(config.rootDir, suite.file)), [])),
  ]
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
      const message = results.flatMap(({ errors = [] }) => errors)[0]?.message
      return { ...failure(name, message), kind: status === 'flaky' ? 'FLAKY' : 'FAILED' }
    })
}

/** @param {string} name @param {string | undefined} message @returns {Trouble} */
function failure(name, message = '') {
  const [line = ''] = stripVTControlCharacters(message).trim().split('\n')
  return { kind: 'FAILED', name, error: line || 'without a message' }
}

/** @param {string} file @param {readonly string[]} titles */
function nameOf(file, titles) {
  return [file, ...titles].join(' › ')
}
