import { existsSync, readFileSync } from 'node:fs'

/**
 * How many tests passed and failed, from the JSON report of Vitest or Playwright; none if there is no report.
 *
 * A test that was skipped counts as neither. One that passed only when tried again counts as passed.
 *
 * @param {string} path
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(path) {
  if (!existsSync(path)) return { passed: 0, failed: 0 }
  const report = JSON.parse(readFileSync(path, 'utf8'))
  const { expected = report.numPassedTests, unexpected = report.numFailedTests, flaky = 0 } = report.stats ?? {}
  return { passed: (expected ?? 0) + flaky, failed: unexpected ?? 0 }
}
