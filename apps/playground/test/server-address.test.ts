import { expect, test } from 'vitest'
import { nameFor, readAddress } from '../src/settings/server-address.ts'

test.each([
  ['https://mcp.deepwiki.com/mcp', 'https://mcp.deepwiki.com/mcp'],
  [' example.org/mcp#top ', 'https://example.org/mcp'],
  ['localhost:3001/mcp', 'http://localhost:3001/mcp'],
  ['127.0.0.1:3001', 'http://127.0.0.1:3001/'],
])('%s is taken for %s', (address, url) => {
  expect(readAddress(address)).toHaveProperty('href', url)
})

test.each(['', 'no address', 'ftp://example.org', 'javascript:alert(1)', 'https://me:secret@example.org/mcp'])(
  '"%s" is no address of a server',
  (address) => {
    expect(readAddress(address)).toBeTypeOf('string')
  },
)

test.each([
  ['https://mcp.deepwiki.com/mcp', 'deepwiki'],
  ['https://api.example.co/v1', 'example'],
  ['http://localhost:3001/mcp', 'localhost-3001'],
  ['http://127.0.0.1:3001/mcp', '127-0-0-1-3001'],
  ['http://[::1]:3001/mcp', '1-3001'],
])('%s is called %s', (url, name) => {
  expect(nameFor(new URL(url), new Set())).toBe(name)
})

test('a name that is taken gets a number', () => {
  expect(nameFor(new URL('https://docs.example.org'), new Set(['example', 'example-2']))).toBe('example-3')
})
