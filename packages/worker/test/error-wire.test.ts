import { isTurnloopError, ToolError } from '@turnloop/core'
import { describe, expect, it } from 'vitest'
import { fromWire, reasonToWire, toWire } from '../src/error-wire.ts'

function overWire(thrown: unknown): unknown {
  return fromWire(structuredClone(toWire(thrown)))
}

describe('an error that crosses the wire', () => {
  it('keeps name, message, stack and the chain of causes', () => {
    const error = new RangeError('row 7 is out of range', { cause: new TypeError('no such row', { cause: 'root' }) })
    const arrived = overWire(error)
    expect(arrived).toBeInstanceOf(Error)
    expect(arrived).toMatchObject({ name: 'RangeError', message: 'row 7 is out of range', stack: error.stack })
    expect(arrived).toHaveProperty('cause.name', 'TypeError')
    expect(arrived).toHaveProperty('cause.cause', 'root')
  })

  it('of ours keeps code and facts and is still known as ours', () => {
    const arrived = overWire(new ToolError('tool-failed', 'no table', { facts: { toolName: 'query_table' } }))
    expect(isTurnloopError(arrived)).toBe(true)
    expect(arrived).toMatchObject({ name: 'ToolError', code: 'tool-failed', facts: { toolName: 'query_table' } })
  })

  it('drops the code of an error that is not ours', () => {
    expect(overWire(Object.assign(new Error('gone'), { code: 'ENOENT' }))).not.toHaveProperty('code')
  })

  it('keeps the name of a DOMException', () => {
    expect(overWire(new DOMException('stopped', 'AbortError'))).toMatchObject({
      name: 'AbortError',
      message: 'stopped',
    })
  })

  it('whose cause is itself ends the chain', () => {
    const error = new Error('round')
    error.cause = error
    expect(overWire(error)).toHaveProperty('cause.message', 'round')
  })

  it('whose facts are no data still crosses', () => {
    // Facts are data by type; a tool without types may put anything there.
    const facts = { run: () => 1 } as never
    expect(overWire(new ToolError('tool-failed', 'odd', { facts }))).toMatchObject({ message: 'odd', facts: {} })
  })
})

describe('a thrown value that is no error', () => {
  it.each(['no rows', 42, true, null, undefined])('that is %s stays as it is', (value) => {
    expect(overWire(value)).toBe(value)
  })

  it('that is an object becomes its JSON', () => {
    expect(overWire({ status: 404 })).toBe('{"status":404}')
  })

  it('that is a function or symbol becomes text', () => {
    expect(overWire(Symbol('odd'))).toBe('Symbol(odd)')
    expect(overWire(() => 1)).toBe('() => 1')
  })
})

describe('an abort reason', () => {
  it('that is an error keeps name and message', () => {
    expect(fromWire(reasonToWire(new DOMException('late', 'TimeoutError')))).toMatchObject({
      name: 'TimeoutError',
      message: 'late',
    })
  })

  it('that is text stays text', () => {
    expect(fromWire(reasonToWire('user pressed Stop'))).toBe('user pressed Stop')
  })
})
