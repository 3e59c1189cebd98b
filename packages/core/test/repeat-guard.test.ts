import type { CallToolResult, JsonObject, ToolResult, ToolStatus } from '@turnloop/core'
import { describe, expect, test } from 'vitest'
import { RepeatGuard } from '../src/repeat-guard.ts'
import { REPEATED_TEXT } from '../src/result-text.ts'
import { type GivenCall, textOf, toCall } from './run-batch.ts'

const FIND: GivenCall = ['find', { q: 'x', max: 5 }]
const REFUSED: [CallToolResult, ToolStatus] = [textOf(REPEATED_TEXT, true), 'not-run']

/** Answer one call of a batch of its own. */
function answer(guard: RepeatGuard, given: GivenCall, result: CallToolResult, status: ToolStatus = 'ok'): void {
  const call = toCall(given)
  guard.record([call], [{ callId: call.callId, toolName: call.toolName, result, status }])
}

function verdict(guard: RepeatGuard, given: GivenCall): string {
  return guard.check(toCall(given))
}

/** A guard that has seen the same result three times. */
function fullGuard(given = FIND, result = textOf('[]')): RepeatGuard {
  const guard = new RepeatGuard(3)
  for (let run = 0; run < 3; run += 1) answer(guard, given, result)
  return guard
}

describe('C1: the same call with the same result', () => {
  test('runs as often as the limit allows, then is refused', () => {
    const guard = new RepeatGuard(3)
    const seen: string[] = []
    for (let run = 0; run < 4; run += 1) {
      seen.push(verdict(guard, FIND))
      answer(guard, FIND, textOf('[]'))
    }
    expect(seen).toEqual(['run', 'run', 'run', 'refuse'])
  })

  test('may be asked about without being counted', () => {
    const guard = fullGuard()
    for (let times = 0; times < 9; times += 1) expect(verdict(guard, FIND)).toBe('refuse')
    expect(guard.isStuck).toBe(false)
  })

  test.each<[string, GivenCall]>([
    ['in another order', ['find', { max: 5, q: 'x' }]],
    ['with spaces', ['find', '{ "q" : "x",\n "max": 5.0 }']],
  ])('is the same with its keys %s', (_how, given) => {
    expect(verdict(fullGuard(), given)).toBe('refuse')
  })

  test.each<[string, GivenCall]>([
    ['another tool', ['search', { q: 'x', max: 5 }]],
    ['another value', ['find', { q: 'y', max: 5 }]],
    ['another type', ['find', { q: 'x', max: '5' }]],
    ['one argument more', ['find', { q: 'x', max: 5, page: 2 }]],
    ['one argument less', ['find', { q: 'x' }]],
  ])('is another call with %s', (_what, given) => {
    expect(verdict(fullGuard(), given)).toBe('run')
  })

  test('with blank arguments is the one with none', () => {
    expect(verdict(fullGuard(['now', '']), ['now', {}])).toBe('refuse')
    expect(verdict(fullGuard(['now', {}]), ['now', ' \n'])).toBe('refuse')
  })

  test('with text that is no JSON is compared as text', () => {
    const guard = fullGuard(['find', '{"q":'])
    expect(verdict(guard, ['find', '{"q":'])).toBe('refuse')
    expect(verdict(guard, ['find', '{"q": '])).toBe('run')
  })

  test('with arguments nested without end is compared as text', () => {
    const deep = '['.repeat(50_000)
    expect(verdict(fullGuard(['find', deep]), ['find', deep])).toBe('refuse')
  })

  test.each<[string, GivenCall, ToolStatus]>([
    ['the same ones again', ['find', { q: 'other' }], 'ok'],
    ['new ones that fail', ['find', { q: 'other' }], 'error'],
  ])('counts although other calls come between: %s', (_which, other, status) => {
    const guard = new RepeatGuard(3)
    answer(guard, other, textOf('[]'), status)
    for (let run = 0; run < 3; run += 1) {
      answer(guard, FIND, textOf('[]'))
      answer(guard, other, textOf('[]'), status)
    }
    expect(verdict(guard, FIND)).toBe('refuse')
  })

  test('C1: control: counts anew after each call that succeeds and was not made before', () => {
    const guard = new RepeatGuard(3)
    for (let run = 0; run < 9; run += 1) {
      answer(guard, ['edit', { line: run }], textOf('edited'))
      expect(verdict(guard, ['check', {}])).toBe('run')
      answer(guard, ['check', {}], textOf('still failing', true), 'error')
    }
    expect(guard.isStuck).toBe(false)
  })

  test('counts within one batch as well', () => {
    const guard = new RepeatGuard(3)
    const calls = [FIND, FIND, FIND].map(toCall)
    guard.record(
      calls,
      calls.map(({ callId }) => ({ callId, toolName: 'find', result: textOf('[]'), status: 'ok' })),
    )
    expect(verdict(guard, FIND)).toBe('refuse')
  })

  test.each([0, -1, Number.POSITIVE_INFINITY])('may run for ever with the limit %d', (limit) => {
    const guard = new RepeatGuard(limit)
    for (let run = 0; run < 20; run += 1) answer(guard, FIND, textOf('[]'))
    expect([verdict(guard, FIND), guard.isStuck]).toEqual(['run', false])
  })
})

describe('C1: results', () => {
  test('that change are polling, which is never held up', () => {
    const guard = new RepeatGuard(3)
    for (let run = 0; run < 20; run += 1) {
      expect(verdict(guard, FIND)).toBe('run')
      answer(guard, FIND, textOf(`${run} %`))
    }
  })

  test('that alternate are lawful too', () => {
    const guard = new RepeatGuard(3)
    for (let run = 0; run < 20; run += 1) answer(guard, FIND, textOf(run % 2 === 0 ? 'tick' : 'tock'))
    expect(verdict(guard, FIND)).toBe('run')
  })

  test('that change once start the count anew', () => {
    const guard = new RepeatGuard(3)
    for (const text of ['a', 'a', 'b', 'b']) answer(guard, FIND, textOf(text))
    expect(verdict(guard, FIND)).toBe('run')
    answer(guard, FIND, textOf('b'))
    expect(verdict(guard, FIND)).toBe('refuse')
  })

  const base: CallToolResult = { ...textOf('{"a":1}'), structuredContent: { a: 1, b: { c: [1, 2] } } }

  test.each<[string, CallToolResult]>([
    ['keys in another order', { ...textOf('{"a":1}'), structuredContent: { b: { c: [1, 2] }, a: 1 } }],
    ['an error that is none', { ...base, isError: false }],
    ['other metadata', { ...base, _meta: { trace: 'x' } }],
  ])('with %s are equal', (_what, result) => {
    const guard = new RepeatGuard(2)
    answer(guard, FIND, base)
    answer(guard, FIND, result)
    expect(verdict(guard, FIND)).toBe('refuse')
  })

  const changed = (structuredContent: JsonObject): CallToolResult => ({ ...textOf('{"a":1}'), structuredContent })

  test.each<[string, CallToolResult]>([
    ['other text', { ...base, ...textOf('{"a":2}') }],
    ['one block more', { ...base, content: [...base.content, { type: 'text', text: '' }] }],
    ['no structured content', textOf('{"a":1}')],
    ['a value deep inside', changed({ a: 1, b: { c: [1, 3] } })],
    ['a list in another order', changed({ a: 1, b: { c: [2, 1] } })],
    ['a shorter list', changed({ a: 1, b: { c: [1] } })],
    ['an object in place of a list', changed({ a: 1, b: { c: { 0: 1, 1: 2 } } })],
    ['one key more', changed({ a: 1, b: { c: [1, 2] }, d: null })],
    ['another key', changed({ a: 1, d: { c: [1, 2] } })],
    ['null in place of an object', changed({ a: 1, b: null })],
    ['an error in place of a success', { ...base, isError: true }],
  ])('with %s differ', (_what, result) => {
    const guard = new RepeatGuard(2)
    answer(guard, FIND, base)
    answer(guard, FIND, result)
    expect(verdict(guard, FIND)).toBe('run')
  })

  test('with a key that any object seems to have differ from one without', () => {
    const guard = new RepeatGuard(2)
    answer(guard, FIND, changed(JSON.parse('{"__proto__":{}}')))
    answer(guard, FIND, changed({ other: 1 }))
    expect(verdict(guard, FIND)).toBe('run')
  })

  test('that are errors count', () => {
    const guard = new RepeatGuard(2)
    for (let run = 0; run < 2; run += 1) answer(guard, FIND, textOf('disk full', true), 'error')
    expect(verdict(guard, FIND)).toBe('refuse')
  })

  test.each(['denied', 'cancelled', 'unknown', 'not-run'] as const)('that are %s do not count', (status) => {
    const guard = new RepeatGuard(2)
    answer(guard, FIND, textOf('not now', true), 'error')
    for (let run = 0; run < 5; run += 1) answer(guard, FIND, textOf('not now', true), status)
    expect([verdict(guard, FIND), guard.isStuck]).toEqual(['run', false])
  })

  test('of calls that are not among those asked are ignored', () => {
    const guard = new RepeatGuard(1)
    const result: ToolResult = { callId: 'other', toolName: 'find', result: textOf('[]'), status: 'ok' }
    guard.record([toCall(FIND)], [result])
    expect(verdict(guard, FIND)).toBe('run')
  })
})

describe('C1: the turn is stuck', () => {
  test('when a refused call is refused a second time, not before', () => {
    const guard = fullGuard()
    expect(guard.isStuck).toBe(false)
    answer(guard, FIND, ...REFUSED)
    expect(guard.isStuck).toBe(false)
    answer(guard, FIND, ...REFUSED)
    expect(guard.isStuck).toBe(true)
  })

  test('also when something else failed in between', () => {
    const guard = fullGuard()
    answer(guard, FIND, ...REFUSED)
    answer(guard, ['find', { q: 'y' }], textOf('No.', true), 'error')
    answer(guard, FIND, ...REFUSED)
    expect(guard.isStuck).toBe(true)
  })

  test('not when two different calls are refused once each', () => {
    const guard = fullGuard()
    for (let run = 0; run < 3; run += 1) answer(guard, ['look'], textOf('[]'))
    answer(guard, FIND, ...REFUSED)
    answer(guard, ['look'], ...REFUSED)
    expect(guard.isStuck).toBe(false)
  })

  test('not by one batch that holds the refused call twice', () => {
    const guard = fullGuard()
    const calls = [FIND, FIND].map(toCall)
    const [result, status] = REFUSED
    guard.record(
      calls,
      calls.map(({ callId }) => ({ callId, toolName: 'find', result, status })),
    )
    expect(guard.isStuck).toBe(false)
  })

  test('and stays so', () => {
    const guard = fullGuard()
    for (let times = 0; times < 2; times += 1) answer(guard, FIND, ...REFUSED)
    for (let run = 0; run < 3; run += 1) answer(guard, ['look'], textOf('found'))
    answer(guard, ['look'], ...REFUSED)
    expect(guard.isStuck).toBe(true)
  })
})
