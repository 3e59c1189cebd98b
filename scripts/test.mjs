import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep, tableOf } from './steps.mjs'
import { countTests } from './test-counts.mjs'
import { readTroubles, troublesText } from './test-troubles.mjs'

// Everything, in order; a step that fails does not keep the later ones from running, so that one run shows all there is.
const reports = mkdtempSync(join(tmpdir(), 'turnloop-test-'))
/** @param {string} name @param {readonly string[]} command A run of Vitest that tells how many tests passed in a report. */
const counted = (name, command) => {
  const file = `--outputFile.json=${join(reports, `${name}.json`)}`
  return { command: [...command, '--reporter=default', '--reporter=json', file], report: `${name}.json` }
}
/** @param {readonly string[]} projects */
const vitest = (...projects) => {
  const chosen = projects.map((project) => `--project=${project}`)
  return counted(projects.join('-'), ['node_modules/vitest/vitest.mjs', 'run', ...chosen])
}
const steps = [
  { name: 'a browser to test with', command: ['scripts/ensure-browser.mjs'] },
  { name: 'check', command: ['scripts/check.mjs'], report: 'unit.json' },
  { name: 'matrices', ...vitest('matrix') },
  { name: 'browser tests', ...vitest('browser', 'browser-unit') },
  { name: 'browser tests in Firefox and WebKit', ...counted('engines', ['scripts/test-engines.mjs']) },
  {
    name: 'end-to-end tests',
    command: ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'],
    report: 'e2e.json',
  },
  { name: 'build', command: ['scripts/build.mjs'] },
  { name: 'installed packages', ...vitest('packed') },
]

const env = { TURNLOOP_REPORTS: reports, PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'e2e.json') }
const results = []
const troubles = []
const total = { passed: 0, failed: 0 }
for (const step of steps) {
  console.log(`\n=== ${step.name}`)
  const result = await runStep(step, { stream: true, env })
  const { passed, failed } = step.report ? countTests(join(reports, step.report)) : { passed: 0, failed: 0 }
  if (step.report) troubles.push(...readTroubles(join(reports, step.report)))
  total.passed += passed
  // A step can fail without a failed test: a lint error, a suite that does not load, a browser that is not there.
  total.failed += result.ok ? failed : Math.max(failed, 1)
  results.push(result)
}
const skips = join(reports, 'skipped.json')
/** @type {string[]} */
const skipped = existsSync(skips) ? JSON.parse(readFileSync(skips, 'utf8')) : []
rmSync(reports, { recursive: true, force: true })

// Last, since of a long log often only the end is kept.
const flaky = troubles.filter(({ kind }) => kind === 'FLAKY').length
const counts = `${total.passed} passed, ${total.failed} failed${flaky > 0 ? `, ${flaky} flaky` : ''}`
console.log(['', tableOf(results), '', ...skipped].join('\n'))
if (troubles.length > 0) console.log(`${troublesText(troubles)}\n`)
console.log(counts)
process.exitCode = total.failed > 0 ? 1 : 0
