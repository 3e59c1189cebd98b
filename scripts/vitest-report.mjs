import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { repository } from './report.mjs'
import { nameOf, trouble } from './troubles.mjs'

/**
 * What a run of Vitest came to, as `npm test` counts it.
 *
 * @typedef {object} VitestReport
 * @property {number} passed Those included that passed only when tried again.
 * @property {number} failed Files that did not load included.
 * @property {import('./troubles.mjs').Trouble[]} troubles In the order of the run.
 */

/** Vitest's arguments for such a report, written to the file that `TURNLOOP_REPORT` names. */
export const REPORTERS = ['--reporter=default', '--reporter=./scripts/vitest-report.mjs']

/**
 * A reporter of Vitest. Unlike its own JSON, it tells in which engine a test ran, what passed only when tried again, and what
 * an error says: Firefox and WebKit keep that out of their stacks.
 */
export default class {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly import('vitest').SerializedError[]} errors Of no test.
   */
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const broken = modules.filter((module) => module.errors().length > 0)
    const failed = tests.filter((test) => test.result().state === 'failed')
    /** @type {VitestReport} */
    const report = {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failed: failed.length + broken.length + errors.length,
      troubles: [
        ...tests.filter((test) => test.diagnostic()?.flaky).map((test) => troubleOf(test, 'FLAKY')),
        ...broken.map((module) => trouble('FAILED', fileOf(module), module.errors()[0])),
        ...failed.map((test) => troubleOf(test, 'FAILED')),
        ...errors.map((error) => trouble('FAILED', 'Vitest', error)),
      ],
    }
    const { TURNLOOP_REPORT } = process.env
    if (TURNLOOP_REPORT) writeFileSync(TURNLOOP_REPORT, JSON.stringify(report))
  }
}

/**
 * @param {import('vitest/node').TestCase} test
 * @param {import('./troubles.mjs').Trouble['kind']} kind
 */
function troubleOf(test, kind) {
  return trouble(kind, nameOf(fileOf(test.module), test.fullName.split(' > ')), test.result().errors?.[0])
}

/** @param {import('vitest/node').TestModule} module */
function fileOf({ moduleId, project }) {
  return `${project.name}: ${relative(repository, moduleId)}`
}
