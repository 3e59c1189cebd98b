import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../report.mjs'
import { readResults } from '../test-results.mjs'
import { REPORTERS } from '../vitest-report.mjs'
import { makeTree } from './make-tree.ts'

const CONFIG = `export default { test: { name: 'small', retry: 1, include: ['*.test.js'] } }`

const TESTS = `
import { describe, expect, test } from ${JSON.stringify(join(repository, 'node_modules/vitest/dist/index.js'))}
let tries = 0
describe('a group', () => {
  test('passes', () => {})
  test.skip('is left out', () => {})
  test('passes later', () => expect(++tries).toBe(2))
  test('fails', () => {
    const error = new Error('said')
    error.stack = 'keeps quiet'
    throw error
  })
})`

test('a run is counted, and each trouble told with its project and what its error says', () => {
  const root = makeTree({ 'vitest.config.mjs': CONFIG, 'a.test.js': TESTS, 'b.test.js': 'throw new Error("no file")' })
  const file = join(root, 'report.json')
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--root', root, ...REPORTERS.slice(1)]
  const reporter = command.with(-1, `--reporter=${join(repository, 'scripts/vitest-report.mjs')}`)
  spawnSync(process.execPath, reporter, { cwd: repository, env: { ...process.env, TURNLOOP_REPORT: file } })
  const { passed, failed, troubles } = readResults(file)
  expect([passed, failed]).toEqual([2, 2])
  expect(troubles.map(({ kind, name, error }) => [kind, name.replace(/^(\w+: ).*\//, '$1'), error])).toEqual([
    ['FLAKY', 'small: a.test.js › a group › passes later', 'expected 1 to be 2 // Object.is equality'],
    ['FAILED', 'small: b.test.js', 'no file'],
    ['FAILED', 'small: a.test.js › a group › fails', 'said'],
  ])
})
