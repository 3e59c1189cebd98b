import { createAgent } from '@turnloop/core'
import { scriptedModel } from '@turnloop/testing'
import { type WorkerToolSource, workerTools } from '@turnloop/worker'
import { expect, it, onTestFinished } from 'vitest'
import { callContext, never } from '../call-context.ts'

function sandbox(): WorkerToolSource {
  const source = workerTools(() => new Worker(new URL('./fixtures/sandbox.ts', import.meta.url), { type: 'module' }), {
    graceMs: 200,
  })
  onTestFinished(() => source.dispose())
  return source
}

async function run(source: WorkerToolSource, code: string): Promise<unknown> {
  const [tool] = await source.list(never)
  return tool?.execute({ code }, callContext())
}

it('code runs in a worker and its value comes back', async () => {
  expect(await run(sandbox(), 'console.log("hi"); [1, 2, 3].map((n) => n ** 2)')).toEqual({
    value: [1, 4, 9],
    console: 'hi',
  })
})

it('code reaches neither the page nor the worker around it', async () => {
  const names = ['fetch', 'indexedDB', 'caches', 'navigator', 'self', 'postMessage', 'importScripts', 'WebAssembly']
  const found = await run(sandbox(), `[${names.map((name) => `typeof ${name}`).join()}]`)
  expect(found).toEqual({ value: names.map(() => 'undefined') })
})

it('an endless loop and a memory bomb end with a clear error, and the next call works', async () => {
  const source = sandbox()
  await expect(run(source, 'for (;;);')).rejects.toMatchObject({ code: 'tool-timed-out', message: /3000 ms/ })
  await expect(run(source, 'const a = []; for (;;) a.push(new Array(1000).fill(1))')).rejects.toMatchObject({
    message: expect.stringContaining('more than 16000000 bytes'),
  })
  await expect(run(source, 'function f() { return f() + 1 } f()')).rejects.toThrow(/stack|recursion/i)
  expect(await run(source, '1 + 1')).toEqual({ value: 2 })
})

it('code that the engine cannot stop loses its worker, and the next call works', async () => {
  const source = sandbox()
  await run(source, '1')
  const began = performance.now()
  await expect(run(source, UNSTOPPABLE)).rejects.toMatchObject({
    code: 'tool-timed-out',
    message: expect.stringContaining('its worker was ended'),
  })
  // 3,000 ms of its own, 1,000 until the tool is late, 200 of grace, and what a busy machine adds.
  expect(performance.now() - began).toBeLessThan(30_000)
  expect(await run(source, '1 + 1')).toEqual({ value: 2 })
})

/** A search in one native step, which takes the engine minutes. */
const UNSTOPPABLE = '"a".repeat(3e6).indexOf("a".repeat(1e6) + "b")'

it('a model reads what its code came to', async () => {
  const code = 'const sides = [3, 4]; Math.hypot(...sides)'
  const model = scriptedModel([{ calls: [{ name: 'run_javascript', input: { code } }] }, 'It is 5.'])
  const agent = createAgent({ model, tools: [sandbox()] })
  const result = await agent.turn('How long is the diagonal of 3 by 4?').untilDone()
  expect(result.text).toBe('It is 5.')
  expect(JSON.stringify(result.messages)).toContain('"structuredContent":{"value":5}')
})
