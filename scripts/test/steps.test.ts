import { expect, test } from 'vitest'
import { runStep, runSteps, tableOf } from '../steps.mjs'

test('what a step prints is kept, from both of its streams', async () => {
  const { ok, output } = await runStep({
    name: 'talk',
    command: ['-e', 'console.log("out"); setTimeout(() => console.error("err"), 20)'],
  })
  expect({ ok, output }).toEqual({ ok: true, output: 'out\nerr\n' })
})

test('a step that ends with another code than 0 has failed', async () => {
  expect(await runStep({ name: 'fail', command: ['-e', 'process.exit(3)'] })).toMatchObject({ ok: false })
})

test('results stand in the order of the steps, not of their ends', async () => {
  const slow = { name: 'slow', command: ['-e', 'setTimeout(() => {}, 300)'] }
  const fast = { name: 'fast', command: ['-e', '0'] }
  const results = await runSteps([slow, fast, fast], 2)
  expect(results.map(({ name, ok }) => [name, ok])).toEqual([
    ['slow', true],
    ['fast', true],
    ['fast', true],
  ])
})

test('the table names each step with its time', () => {
  const results = [
    { name: 'types', ok: true, seconds: 1.25, output: '' },
    { name: 'lint', ok: false, seconds: 12, output: '' },
  ]
  expect(tableOf(results)).toBe('ok         1.3 s  types\nFAILED    12.0 s  lint')
})
