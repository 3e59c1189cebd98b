import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep, tableOf } from './steps.mjs'
import { readResults } from './test-results.mjs'
import { troublesText } from './troubles.mjs'
import { REPORTERS } from './vitest-report.mjs'

// Everything, in order; a step that fails does not keep the later ones from running, so that one run shows all there is.
const reports = mkdtempSync(join(tmpdir(), 'turnloop-test-'))
/** @param {readonly string[]} projects */
const vitest = (...projects) => {
  const chosen = projects.map((project) => `--project=${project}`)
  return { command: ['node_modules/vitest/vitest.mjs', 'run', ...chosen, ...REPORTERS] }
}
const steps = [
  { name: 'a browser to test with', command: ['scripts/ensure-browser.mjs'] },
  { name: 'check', command: ['scripts/check.mjs'] },
  { name: 'matrices', ...vitest('matrix') },
  { name: 'browser tests', ...vitest('browser', 'browser-unit') },
  { name: 'browser tests in Firefox and WebKit', command: ['scripts/test-engines.mjs', ...REPORTERS] },
  { name: 'end-to-end tests', command: ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'] },
  { name: 'build', command: ['scripts/build.mjs'] },
  { name: 'installed packages', ...vitest('packed') },
]

const results = []
const troubles = []
const total = { passed: 0, failed: 0 }
for (const step of steps) {
  console.log(`\n=== ${step.name}`)
  const report = join(reports, `${steps.indexOf(step)}.json`)
  const env = { TURNLOOP_REPORTS: reports, TURNLOOP_REPORT: report, PLAYWRIGHT_JSON_OUTPUT_FILE: report }
  const result = await runStep(step, { stream: true, env })
  const { passed, failed, troubles: met } = readResults(report)
  troubles.push(...met)
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
