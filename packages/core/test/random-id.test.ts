import { afterEach, beforeEach, expect, test } from 'vitest'
import { randomId } from '../src/random-id.ts'
import { diskWith, logOf } from './paging-setup.ts'
import { openPage, repeat } from './session-setup.ts'

// What a browser leaves out where a page came over plain http.
beforeEach(() => {
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true })
})

afterEach(() => {
  Reflect.deleteProperty(crypto, 'randomUUID')
})

test('a page without https gets random UUIDs of version 4', () => {
  const ids = Array.from({ length: 100 }, randomId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(100)
})

test('a page without https opens, goes on with and adds to a session', async () => {
  const { session } = openPage(repeat, { store: await diskWith(logOf([{ kind: 'tools', pick: 1 }])) })
  const { text } = await session.send('Are you there?')
  await session.addNote('It is.')
  await session.close()
  expect(text).toBe('You said Are you there?')
})
