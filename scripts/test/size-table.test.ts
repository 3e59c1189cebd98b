import { expect, test } from 'vitest'
import { refreshSizes } from '../size-table.mjs'

const units = [
  { folder: 'packages/core', manifest: { name: '@turnloop/core', description: 'The loop.' } },
  { folder: 'apps/demo', manifest: { name: '@turnloop/demo', description: 'Not weighed.' } },
]
const readme = (size: string): string =>
  'Before\n<!-- sizes -->\n| package | what it is | gzip |\n|---|---|--:|\n' +
  `| [\`@turnloop/core\`](packages/core) | The loop. | ${size} KB |\n<!-- /sizes -->\nAfter\n`

test('an empty table is filled in', () => {
  const text = 'Before\n<!-- sizes -->\n<!-- /sizes -->\nAfter\n'
  expect(refreshSizes(text, units, new Map([['core', 9.44]]))).toBe(readme('9.4'))
})

test('a size within rounding stays as it is', () => {
  expect(refreshSizes(readme('9.2'), units, new Map([['core', 9.44]]))).toBe(readme('9.2'))
})

test('a size that has moved is renewed', () => {
  expect(refreshSizes(readme('9.1'), units, new Map([['core', 9.44]]))).toBe(readme('9.4'))
})

test('a text without the marks stays as it is', () => {
  expect(refreshSizes('# Title\n', units, new Map([['core', 1]]))).toBe('# Title\n')
})
