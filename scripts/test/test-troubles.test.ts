import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../report.mjs'
import { readTroubles, troublesText } from '../test-troubles.mjs'
import { makeTree } from './make-tree.ts'

const read = (report: object): string =>
  troublesText(readTroubles(join(makeTree({ 'report.json': JSON.stringify(report) }), 'report.json')))

const failed = (title: string, message: string): object => ({
  status: 'failed',
  ancestorTitles: ['a group'],
  title,
  failureMessages: [message],
})

const file = (assertionResults: object[], more: object = {}): object => ({
  name: join(repository, 'packages/core/test/loop.test.ts'),
  status: 'failed',
  message: '',
  assertionResults,
  ...more,
})

test('a failed test of Vitest is told with file, title and the first line of its error', () => {
  const passed = { status: 'passed', ancestorTitles: [], title: 'fine', failureMessages: [] }
  const report = { testResults: [file([passed, failed('counts', 'AssertionError: 1 is not 2\n    at loop')])] }
  expect(read(report)).toBe(
    'FAILED  packages/core/test/loop.test.ts › a group › counts\n        AssertionError: 1 is not 2',
  )
})

test('a file that does not load is told by its name', () => {
  const report = { testResults: [file([], { message: 'Cannot find module "x"' })] }
  expect(read(report)).toBe('FAILED  packages/core/test/loop.test.ts\n        Cannot find module "x"')
})

const spec = (title: string, status: string, ...messages: string[]): object => ({
  title,
  tests: [{ status, results: messages.map((message) => ({ errors: message === '' ? [] : [{ message }] })) }],
})

const playwright = (suite: object, errors: object[] = []): object => ({
  config: { rootDir: join(repository, 'apps/playground/e2e') },
  suites: [{ title: 'stop.spec.ts', file: 'stop.spec.ts', ...suite }],
  errors,
})

test('what failed is told after what passed when it was tried again', () => {
  const inner = {
    title: 'in a narrow window',
    file: 'stop.spec.ts',
    specs: [spec('it fits', 'flaky', 'Error: late', '')],
  }
  const specs = [spec('it stops', 'unexpected', '\u001b[31mError: strict mode\u001b[39m\n  two', 'Error: again')]
  expect(read(playwright({ specs: [...specs, spec('it runs', 'expected', '')], suites: [inner] })).split('\n')).toEqual(
    [
      'FLAKY   apps/playground/e2e/stop.spec.ts › in a narrow window › it fits',
      '        Error: late',
      'FAILED  apps/playground/e2e/stop.spec.ts › it stops',
      '        Error: strict mode',
    ],
  )
})

test('an error of Playwright outside of its tests is told', () => {
  const errors = [{ message: 'Error: Timed out waiting 120000ms from config.webServer.' }]
  expect(read(playwright({}, errors))).toBe(
    'FAILED  Playwright\n        Error: Timed out waiting 120000ms from config.webServer.',
  )
})

test('twenty failures are told, and how many more there are', () => {
  const tests = Array.from({ length: 23 }, (_, index) => failed(`test ${index}`, 'Error: no'))
  const lines = read({ testResults: [file(tests)] }).split('\n')
  expect([lines.length, lines.at(-1)]).toEqual([41, '        and 3 more'])
})

test('without a report nothing is told', () => {
  expect(readTroubles(join(makeTree({}), 'report.json'))).toEqual([])
})
