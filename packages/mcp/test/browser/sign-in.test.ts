import { finishSignIn, mcpTools, oauthProvider } from '@turnloop/mcp'
import { deferred } from '@turnloop/testing'
import { afterAll, afterEach, expect, test } from 'vitest'
import { commands } from 'vitest/browser'
import { runLocked } from '../../src/run-locked.ts'
import { callContext, quiet, toolNamed } from '../call-context.ts'

const before = location.href
afterEach(() => history.replaceState(null, '', before))
afterAll(() => commands.stopServers())

test('a popup signs in, and closes', async () => {
  const auth = oauthProvider({ redirectUrl: '/packages/mcp/test/browser/fixtures/signed-in.html' })
  const source = mcpTools({ url: await commands.startServer('guarded') }, { auth })
  await expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
  await source.signIn()
  const result = await toolNamed(await source.list({ signal: quiet() }), 'secret').execute({}, callContext())
  await source.dispose()

  expect(result).toMatchObject({ content: [{ text: '42' }] })
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('turnloop-mcp:pending'))).toEqual([])
})

test('what has one name runs one after the other, in all tabs', async () => {
  const first = deferred<void>()
  const order: string[] = []
  const one = runLocked('lock', async () => {
    order.push('one')
    await first.promise
    order.push('one is done')
  })
  const two = runLocked('lock', async () => void order.push('two'))
  const { held = [], pending = [] } = await navigator.locks.query()
  first.resolve()
  await Promise.all([one, two])

  expect(order).toEqual(['one', 'one is done', 'two'])
  expect([held, pending].map((locks) => locks.filter(({ name }) => name === 'lock').length)).toEqual([1, 1])
})

test('the code is taken out of the address of the page (H10)', () => {
  history.replaceState(null, '', '?code=secret&state=turnloop.redirect.1&iss=x&tab=2#part')

  expect(finishSignIn()).toEqual({ flow: 'redirect' })
  expect(location.search).toBe('?tab=2')
  expect(location.hash).toBe('#part')
})

test('an address that is no answer of ours is left alone', () => {
  history.replaceState(null, '', '?code=secret&state=of-somebody-else')

  expect(finishSignIn()).toBeUndefined()
  expect(location.search).toBe('?code=secret&state=of-somebody-else')
})
