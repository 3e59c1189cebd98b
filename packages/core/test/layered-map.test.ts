import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LayeredMap } from '../src/layered-map.ts'

const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.option(fc.integer(), { nil: undefined })), {
  maxLength: 300,
})

test('any changes give what a Map gives, in the same order', () => {
  fc.assert(
    fc.property(changes, (given) => {
      const plain = new Map<number, number | undefined>()
      let layered = new LayeredMap<number, number | undefined>()
      for (const [key, value] of given) {
        plain.set(key, value)
        layered = layered.with(key, value)
      }
      expect([...layered]).toEqual([...plain])
      expect([...layered.keys(), ...layered.values()]).toEqual([...plain.keys(), ...plain.values()])
      expect(layered.size).toBe(plain.size)
      for (const key of plain.keys()) expect([layered.has(key), layered.get(key)]).toEqual([true, plain.get(key)])
      expect([layered.has(-1), layered.get(-1)]).toEqual([false, undefined])
    }),
  )
})

test('a change leaves the map it was made from as it was', () => {
  const maps = [new LayeredMap<number, string>()]
  for (let key = 0; key < 200; key += 1) maps.push((maps.at(-1) ?? new LayeredMap()).with(key, `value ${key}`))
  expect(maps.map(({ size }) => size)).toEqual(maps.map((_map, index) => index))
  expect(maps[100]?.has(100)).toBe(false)
})

test('a null that replaces a value stays null', () => {
  const map = new LayeredMap<string, string | null>(new Map([['a', 'old']])).with('a', null)
  expect([map.get('a'), [...map]]).toEqual([null, [['a', null]]])
})
