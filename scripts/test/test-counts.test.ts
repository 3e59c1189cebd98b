import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countTests } from '../test-counts.mjs'
import { makeTree } from './make-tree.ts'

const count = (report: object): { passed: number; failed: number } =>
  countTests(join(makeTree({ 'report.json': JSON.stringify(report) }), 'report.json'))

test('the report of Vitest is counted', () => {
  expect(count({ numTotalTests: 9, numPassedTests: 6, numFailedTests: 2 })).toEqual({ passed: 6, failed: 2 })
})

test('the report of Playwright is counted', () => {
  expect(count({ stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 3 } })).toEqual({ passed: 6, failed: 1 })
})

test('without a report nothing is counted', () => {
  expect(countTests(join(makeTree({}), 'report.json'))).toEqual({ passed: 0, failed: 0 })
})
