import type { JsonValue } from '@turnloop/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { quickJsTool } from '../src/quick-js-tool.ts'
import { callContext } from './call-context.ts'
import { failureOf, resultOf, run, wasm } from './run-sandboxed.ts'

describe('the value', () => {
  it.each<[string, JsonValue]>([
    ['1 + 1', 2],
    ['const rows = [3, 1, 2]; rows.sort()', [1, 2, 3]],
    ['await Promise.resolve(4)', 4],
    ['Promise.resolve(5)', 5],
    ['(async () => { await null; return 6 })()', 6],
    ['return 7', 7],
    ['const n = 8 // the last\nreturn n // of it', 8],
    ['if (true) { return await Promise.resolve({ n: 9 }) }', { n: 9 }],
    ['new Map([["a", 1n]])', [['a', '1']]],
    ['new Set([1])', [1]],
    ['({ at: new Date(0) })', { at: '1970-01-01T00:00:00.000Z' }],
    ['"text"', 'text'],
    ['JSON.parse(\'{"__proto__":{"x":1}}\')', JSON.parse('{"__proto__":{"x":1}}')],
  ])('of %s comes back as JSON', async (code, value) => {
    expect(await resultOf(code)).toEqual(value)
  })

  it.each(['undefined', 'const n = 1', '() => 1', ''])('of "%s" is none, and the model is told', async (code) => {
    expect(await run(code)).toEqual({ value: null, note: expect.stringContaining('gave no value') })
  })

  it('with a cycle is an error', async () => {
    expect(await failureOf('const o = {}; o.self = o; o')).toMatchObject({ message: /circular/ })
  })

  it('is made by our JSON, whatever the code does to its own', async () => {
    expect(await resultOf('JSON.stringify = () => "forged"; ({ a: 1 })')).toEqual({ a: 1 })
  })
})

describe('the console', () => {
  it('is captured in order', async () => {
    const code = 'console.log("a", { n: 1 }, [2]); console.error(new RangeError("row")); console.warn(() => 1); 3'
    expect(await run(code)).toEqual({ value: 3, console: 'a {"n":1} [2]\nRangeError: row\n() => 1' })
  })

  it('is progress while the code runs', async () => {
    const sandbox = quickJsTool({ wasm })
    const context = callContext()
    await sandbox.execute('console.log("one"); console.log("two")', context)
    expect(context.updates).toEqual(['one', 'one\ntwo'])
  })

  it('is cut at its limit', async () => {
    const code = 'for (let n = 0; n < 1000; n += 1) console.log("line " + n)'
    const result = await run(code, { maxConsoleChars: 20 })
    expect(result).toMatchObject({ console: 'line 0\nline 1\nline 2\n(The rest was cut.)' })
  })

  it('stands in the error of code that failed', async () => {
    expect((await failureOf('console.log("so far"); null.x')).message).toMatch(
      /^TypeError: .*\nConsole until then:\nso far$/s,
    )
  })

  it('takes nothing but text from the code', async () => {
    const code = 'Array.prototype.join = () => ({ toString() { throw new Error("in the host") } }); console.log("x"); 1'
    expect(await run(code)).toEqual({ value: 1 })
  })

  it('does not run functions of the code in the host', async () => {
    expect(await run('console.log({ toJSON() { throw new Error("no") }, toString: () => "own" }); 1')).toEqual({
      value: 1,
      console: 'own',
    })
  })
})

it('code is run once more only where a return could not be read', async () => {
  const sandbox = quickJsTool({ wasm })
  const thrown = callContext()
  await expect(sandbox.execute('console.log("ran"); const f = () => { return null.x }; f()', thrown)).rejects.toThrow(
    'TypeError',
  )
  expect(thrown.updates).toEqual(['ran'])
  // Here the engine cannot tell, and the second machine starts with an empty console.
  const late = callContext()
  await expect(
    sandbox.execute('console.log("ran"); const f = () => { return eval("return") }; f()', late),
  ).rejects.toThrow(/Console until then:\nran$/)
})

describe('code that throws', () => {
  it.each([
    ['throw new TypeError("bad")', /^TypeError: bad\n {4}at <eval> \(code\.js:1/],
    ['const f = () => { null.x }\nf()', /^TypeError: .*code\.js:1/s],
    ['throw "text"', /^Uncaught: text/],
    ['throw { row: 7 }', /^Uncaught: \{"row":7\}/],
    ['await Promise.reject(new RangeError("row"))', /^RangeError: row/],
    ['(async () => { throw new RangeError("row") })()', /^RangeError: row/],
    ['const x = ;', /^SyntaxError: /],
    ['return return', /^SyntaxError: /],
    ['missing()', /^ReferenceError: .*missing/],
    ['throw { get message() { for (;;); } }', /./],
  ])('as %s does is told with its place', async (code, message) => {
    expect(await failureOf(code, { timeoutMs: 100 })).toMatchObject({ message: expect.stringMatching(message) })
  })
})

describe('the tool', () => {
  it('describes its limits to the model', () => {
    const { name, description, effect, timeoutMs } = quickJsTool({ wasm, timeoutMs: 500, memoryBytes: 8e6 })
    expect({ name, effect, timeoutMs }).toEqual({ name: 'run_javascript', effect: 'read', timeoutMs: 1500 })
    expect(description).toContain('500 ms, 8 MB')
  })

  it('refuses arguments without code', async () => {
    expect(await quickJsTool({ wasm }).check({})).toEqual({ ok: false, problems: ['code: expected text'] })
  })

  it.each([{ timeoutMs: 0 }, { memoryBytes: -1 }, { maxConsoleChars: Number.NaN }, { wasm: undefined as never }])(
    'refuses %o',
    (options) => {
      expect(() => quickJsTool({ wasm, ...options })).toThrow(Object.keys(options)[0])
    },
  )

  it('that has no engine says what to serve, and asks again', async () => {
    const sandbox = quickJsTool({ wasm: 'data:application/wasm,nothing' })
    expect(await sandbox.check({ code: '1' })).toMatchObject({ ok: true })
    for (let n = 0; n < 2; n += 1) {
      await expect(sandbox.execute('1', callContext())).rejects.toThrow('its WebAssembly was refused')
    }
    vi.stubGlobal('fetch', async () => new Response('', { status: 404 }))
    onTestFinished(() => void vi.unstubAllGlobals())
    await expect(quickJsTool({ wasm: '/quickjs.wasm' }).execute('1', callContext())).rejects.toThrow(
      '/quickjs.wasm did not load (HTTP 404)',
    )
    vi.unstubAllGlobals()
    await expect(quickJsTool({ wasm: 'none://here' }).execute('1', callContext())).rejects.toThrow(
      'none://here did not load',
    )
  })
})
