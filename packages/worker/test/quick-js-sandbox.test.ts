import { describe, expect, it } from 'vitest'
import { quickJsTool } from '../src/quick-js-tool.ts'
import { callContext } from './call-context.ts'
import { failureOf, resultOf, wasm } from './run-sandboxed.ts'

/** All that the language has; an engine that grows has to be looked at again. */
const GLOBALS =
  'AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean ' +
  'DOMException DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array ' +
  'Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN ' +
  'Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String ' +
  'SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array ' +
  'Uint8ClampedArray WeakMap WeakRef WeakSet atob btoa console decodeURI decodeURIComponent encodeURI ' +
  'encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt performance queueMicrotask ' +
  'undefined unescape'

describe('code that does not end well', () => {
  it.each([
    'while (true);',
    'try { while (true); } catch { 1 } finally { while (true); }',
    'async function spin() { for (;;) await null } spin()',
    '(async () => { for (;;) await null })()',
    '/^(a+)+$/.test("a".repeat(40) + "b")',
    '[3, 1, 2].sort(() => { for (;;); })',
    '({ toJSON() { for (;;); } })',
  ])('as an endless loop is stopped in time: %s', async (code) => {
    const before = performance.now()
    expect(await failureOf(code, { timeoutMs: 100 })).toMatchObject({
      code: 'tool-timed-out',
      message: expect.stringContaining('ran longer than 100 ms and was stopped'),
      facts: { toolName: 'run_javascript', reason: 'timed-out' },
    })
    expect(performance.now() - before).toBeLessThan(2000)
  })

  it.each([
    'const list = []; for (;;) list.push(new Array(1000).fill(1))',
    'try { const list = []; for (;;) list.push("x".repeat(1e6) + list.length) } catch {} 1',
    'new Array(1e9).fill(0)',
    'new ArrayBuffer(1e9)',
    '"x".repeat(2 ** 28)',
  ])('as a memory bomb is stopped: %s', async (code) => {
    expect(await failureOf(code, { memoryBytes: 16e6, timeoutMs: 10_000 })).toMatchObject({
      code: 'tool-failed',
      message: expect.stringContaining('more than 16000000 bytes'),
      facts: { reason: 'out-of-memory' },
    })
  })

  it.each(['function deep() { return deep() + 1 } deep()', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a'])(
    'as a recursion without end is an error: %s',
    async (code) => {
      expect(await failureOf(code, { timeoutMs: 5000 })).toMatchObject({
        message: expect.stringMatching(/stack|recursion/i),
      })
    },
  )

  it('as a promise that nobody settles is told as one', async () => {
    expect(await failureOf('await new Promise(() => {})')).toMatchObject({
      message: expect.stringContaining('no timers, no network'),
      facts: { reason: 'pending' },
    })
  })

  it('does not harm the next call of the same tool', async () => {
    const sandbox = quickJsTool({ wasm, timeoutMs: 100, memoryBytes: 8e6 })
    for (const code of ['for (;;);', 'new Array(1e9).fill(0)', 'function f() { return f() + 1 } f()']) {
      await expect(sandbox.execute(code, callContext())).rejects.toThrow()
      expect(await sandbox.execute('1 + 1', callContext())).toEqual({ value: 2 })
    }
  })
})

describe('the sandbox', () => {
  it.each([
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
    'EventSource',
    'indexedDB',
    'caches',
    'localStorage',
    'navigator',
    'self',
    'window',
    'document',
    'postMessage',
    'importScripts',
    'Worker',
    'setTimeout',
    'setInterval',
    'process',
    'require',
    'module',
    'WebAssembly',
    'crypto',
    'std',
    'os',
    'gc',
  ])('has no %s', async (name) => {
    expect(await resultOf(`[typeof ${name}, '${name}' in globalThis]`)).toEqual(['undefined', false])
  })

  it('knows no globals but those of the language and a console', async () => {
    const names = await resultOf('Object.getOwnPropertyNames(globalThis).sort().join(" ")')
    expect(names).toBe(GLOBALS)
  })

  it.each(['await import("node:fs")', 'import("data:text/javascript,1")', 'import fs from "fs"', 'import.meta.url'])(
    'loads no module: %s',
    async (code) => {
      expect((await failureOf(code)).message).toMatch(/could not load module|SyntaxError/)
    },
  )

  it.each([
    'this.constructor.constructor("return globalThis")()',
    'console.log.constructor("return this")()',
    '(0, eval)("this")',
    'Function.prototype.constructor("return this")()',
    'Object.getPrototypeOf(async function () {}).constructor("return globalThis")()',
  ])('leads by %s only to itself', async (code) => {
    expect(await resultOf(`const found = await (${code}); [found === globalThis, typeof found.fetch]`)).toEqual([
      true,
      'undefined',
    ])
  })

  it('keeps nothing between calls', async () => {
    const sandbox = quickJsTool({ wasm })
    await sandbox.execute('globalThis.kept = 1; Array.prototype.kept = 2; 0', callContext())
    expect(await sandbox.execute('[typeof kept, typeof [].kept]', callContext())).toEqual({
      value: ['undefined', 'undefined'],
    })
  })

  it('cannot stand still on an atomic', async () => {
    const code = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
    expect((await failureOf(code, { timeoutMs: 500 })).message).toMatch(/TypeError|not defined/)
  })
})
