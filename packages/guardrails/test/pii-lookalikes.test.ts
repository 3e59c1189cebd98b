import { pii } from '@turnloop/guardrails'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkText } from './check-text.ts'

const RUNS = { numRuns: 300 }

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: length, maxLength: length })
const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
const time = fc.date({ min: new Date('2002-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const degrees = fc.double({ min: -180, max: 180, noNaN: true })

const LOOKALIKES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'unix seconds': time.map((at) => `created ${Math.floor(at.getTime() / 1000)}`),
  'unix milliseconds': time.map((at) => String(at.getTime())),
  'ISO times': time.map((at) => at.toISOString()),
  'local times': time.map((at) => at.toISOString().replace('T', ' ').replace('Z', ' +0200')),
  'order ids of ten digits': digits(10).map((id) => `order ${id}`),
  'order ids of twelve digits': digits(12).map((id) => `order ${id}`),
  'ids with a prefix': digits(13).map((id) => `INV_${id}`),
  UUIDs: fc.uuid(),
  'UUIDs of digits': digits(32).map((id) => id.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')),
  'SHA-1': hex(40),
  'SHA-256': hex(64),
  versions: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99999), fc.nat(9999)).map((parts) => `v${parts.join('.')}`),
  'IPv4 addresses': fc.ipV4(),
  'IPv6 addresses': fc.ipV6(),
  coordinates: fc.tuple(degrees, degrees).map(([latitude, longitude]) => `${latitude}, ${longitude}`),
  'short coordinates': fc.tuple(degrees, degrees).map(([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`),
  fractions: fc.double({ min: 0, max: 10, noNaN: true }).map(String),
  prices: fc
    .double({ min: 0, max: 1e9, noNaN: true })
    .map((price) => `${price.toLocaleString('en', { minimumFractionDigits: 2 })} USD`),
  'spaced prices': fc.nat(2_000_000_000).map((price) => `${price.toLocaleString('fr').replace(/\s/g, ' ')} Kč`),
  'ISBN-13': digits(9).map((rest) => `ISBN 978-${rest[0]}-${rest.slice(1, 3)}-${rest.slice(3)}-0`),
  'EAN-13': digits(12).map((rest) => `40${rest.slice(1)}`),
  'small numbers': fc.array(fc.nat(99), { maxLength: 40 }).map((list) => list.join(', ')),
}

test.each(Object.entries(LOOKALIKES))('random %s do not trip it', async (_name, arbitrary) => {
  const guardrail = pii()
  await fc.assert(
    fc.asyncProperty(arbitrary, async (text) => {
      expect(await checkText(guardrail, text)).toBeUndefined()
    }),
    RUNS,
  )
})
