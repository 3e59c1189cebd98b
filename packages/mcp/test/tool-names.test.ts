import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toToolName } from '../src/tool-names.ts'

const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/

describe('names of tools', () => {
  test('a name that models take stays as it is', () => {
    expect(toToolName('get_weather-2')).toBe('get_weather-2')
    expect(toToolName('search', 'docs_')).toBe('docs_search')
  })

  test('dots, slashes and long names become names that models take (H5)', () => {
    const long = 'a'.repeat(70)
    const names = ['cal.read', 'cal/read', `${long}X`, `${long}Y`, 'čas', '日本', ''].map((name) => toToolName(name))

    for (const name of names) expect(name).toMatch(ALLOWED)
    expect(new Set(names).size).toBe(names.length)
    expect(names[0]).toMatch(/^cal_read_[a-z0-9]{6}$/)
    expect(names[4]).toMatch(/^cas_[a-z0-9]{6}$/)
  })

  test('a name is the same wherever and whenever it is made', () => {
    expect(toToolName('cal.read')).toBe('cal_read_jva6gn')
  })

  test('different names stay different, with any prefix', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 90 }), fc.string({ maxLength: 90 }), (a, b) => {
        fc.pre(a !== b)
        expect(toToolName(a, 'p_')).toMatch(ALLOWED)
        expect(toToolName(a, 'p_')).not.toBe(toToolName(b, 'p_'))
      }),
    )
  })
})
