import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../report.mjs'
import { readResults } from '../test-results.mjs'
import { makeTree } from './make-tree.ts'

const read = (report: object): ReturnType<typeof readResults> =>
  readResults(join(makeTree({ 'report.json': JSON.stringify(report) }), 'report.json'))

const spec = (title: string, status: string, ...messages: string[]): object => ({
  title,
  tests: [{ status, results: messages.map((message) => ({ errors: message === '' ? [] : [{ message }] })) }],
})

const playwright = (suite: object, errors: object[] = []): object => ({
  config: { rootDir: join(repository, 'apps/playground/e2e') },
  stats: { expected: 5, unexpected: 1, flaky: 1, skipped: 3 },
  suites: [{ title: 'stop.spec.ts', file: 'stop.spec.ts', ...suite }],
  errors,
})

test('the report of Vitest is read as it is', () => {
  const report = { passed: 6, failed: 1, troubles: [{ kind: 'FAILED', name: 'a', error: 'b' }] }
  expect(read(report)).toEqual(report)
})

test('of Playwright, what passed when it was tried again counts as passed', () => {
  expect(read(playwright({}))).toEqual({ passed: 6, failed: 1, troubles: [] })
})

test('what did not pass at once is told with its first error', () => {
  const inner = {
    title: 'in a narrow window',
    file: 'stop.spec.ts',
    specs: [spec('it fits', 'flaky', 'Error: late', '')],
  }
  const specs = [spec('it stops', 'unexpected', 'Error: strict mode', 'Error: again'), spec('it runs', 'expected', '')]
  expect(read(playwright({ specs, suites: [inner] })).troubles).toEqual([
    { kind: 'FAILED', name: 'apps/playground/e2e/stop.spec.ts › it stops', error: 'Error: strict mode' },
    {
      kind: 'FLAKY',
      name: 'apps/playground/e2e/stop.spec.ts › in a narrow window › it fits',
      error: 'Error: late',
    },
  ])
})

test('an error of Playwright outside of its tests is told', () => {
  const error = 'Error: Timed out waiting 120000ms from config.webServer.'
  expect(read(playwright({}, [{ message: error }])).troubles).toEqual([{ kind: 'FAILED', name: 'Playwright', error }])
})

test('without a report there is nothing', () => {
  expect(readResults(join(makeTree({}), 'report.json'))).toEqual({ passed: 0, failed: 0, troubles: [] })
})
