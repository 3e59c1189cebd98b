/// <reference types="node" />
import {
  finishSignIn,
  type McpToolSource,
  mcpTools,
  memoryVault,
  type OAuthOptions,
  oauthProvider,
} from '@turnloop/mcp'
import { manualClock } from '@turnloop/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callContext, quiet, toolNamed } from './call-context.ts'
import { type GuardedServer, type GuardedServerOptions, startGuardedServer } from './guarded-server.ts'

describe('signing in', () => {
  let server: GuardedServer
  let opened: { location: { href: string }; isClosed: boolean }[]
  const sources: McpToolSource[] = []
  beforeEach(async () => {
    opened = []
    server = await startGuardedServer()
  })
  afterEach(async () => {
    for (const source of sources.splice(0)) await source.dispose()
    await server.close()
  })

  async function restart(options: GuardedServerOptions): Promise<void> {
    await server.close()
    server = await startGuardedServer(options)
  }

  /** A source as one page has it. */
  function page(options: Partial<OAuthOptions> = {}): McpToolSource {
    const auth = oauthProvider({
      redirectUrl: 'https://page.example/back',
      openWindow: (url) => {
        const popup = {
          location: { href: url },
          isClosed: false,
          close: () => void Object.assign(popup, { isClosed: true }),
        }
        opened.push(popup)
        return popup
      },
      ...options,
    })
    const headers = { 'x-key': 'for the MCP server alone' }
    const source = mcpTools({ url: server.url }, { auth, headers, ...(options.clock && { clock: options.clock }) })
    sources.push(source)
    return source
  }

  /** What a person sees who opens the page: it needs a sign-in, and where. */
  async function untilNeeded(source: McpToolSource): Promise<string> {
    await expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
    const { status, signInUrl } = source.getState()
    expect(status).toBe('needs-auth')
    return signInUrl ?? ''
  }

  test('a click opens the window at once, and the tools are there after it', async () => {
    const source = page()
    const url = await untilNeeded(source)
    const signedIn = source.signIn()
    expect(opened[0]?.location.href).toBe(url)
    await listening()
    finishSignIn(server.agree(url))
    await signedIn

    const tools = await source.list({ signal: quiet() })
    expect(await toolNamed(tools, 'secret').execute({}, callContext())).toMatchObject({ content: [{ text: '42' }] })
    expect(opened[0]?.isClosed).toBe(true)
    expect([...server.keyed]).toEqual(['/mcp'])
    expect(new URL(url).searchParams.get('code_challenge_method')).toBe('S256')
    expect(new URL(url).searchParams.get('resource')).toBe(server.url)
  })

  test('an answer that comes at once is heard', async () => {
    const source = page({
      openWindow: (url) => {
        finishSignIn(server.agree(url))
        return { location: { href: url }, close: () => {} }
      },
    })
    await untilNeeded(source)
    await source.signIn()

    expect(source.getState().status).toBe('ready')
  })

  test('a registration for another page is not used again', async () => {
    const vault = memoryVault()
    await untilNeeded(page({ vault }))
    await vault.remove(`turnloop-mcp:pending:${server.url}`)
    const url = await untilNeeded(page({ vault, redirectUrl: 'https://page.example/elsewhere' }))

    expect(server.registrations()).toBe(2)
    expect(new URL(url).searchParams.get('client_id')).toBe('client-2')
  })

  test('connecting again leaves the sign-in under way as it is (H10)', async () => {
    const source = page()
    const url = await untilNeeded(source)
    const signedIn = source.signIn()
    expect(await untilNeeded(source)).toBe(url)
    await listening()
    finishSignIn(server.agree(url))

    await signedIn
    expect(server.registrations()).toBe(1)
    expect(source.getState().status).toBe('ready')
  })

  test('who says no is not asked again before the next click (H10)', async () => {
    const source = page()
    const url = await untilNeeded(source)
    const signedIn = source.signIn()
    await listening()
    finishSignIn(server.deny(url))
    await expect(signedIn).rejects.toMatchObject({ facts: { reason: 'sign-in-denied' } })
    const before = server.refusals()

    await expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'sign-in-denied' } })
    expect(source.getState()).toMatchObject({ status: 'needs-auth', reason: 'sign-in-denied' })
    expect(opened).toHaveLength(1)
    expect(server.grants).toEqual([])
    expect(server.refusals()).toBe(before)

    const again = source.signIn()
    const next = await until(() => opened[1]?.location.href.startsWith('http') && opened[1].location.href)
    await listening()
    finishSignIn(server.agree(next))
    await again
    expect(source.getState().status).toBe('ready')
  })

  test('a sign-in outlives a reload, and the code is used once (H10)', async () => {
    const vault = memoryVault()
    const visited: string[] = []
    const options: Partial<OAuthOptions> = { vault, flow: 'redirect', navigate: (url) => void visited.push(url) }
    const before = page(options)
    await untilNeeded(before)
    const leaving = new AbortController()
    const left = before.signIn({ signal: leaving.signal })
    const url = await until(() => visited[0])
    leaving.abort('left the page')
    await expect(left).rejects.toBe('left the page')
    await before.dispose()

    expect(finishSignIn(server.agree(url))).toEqual({ flow: 'redirect' })
    const after = page(options)
    expect(await after.list({ signal: quiet() })).toHaveLength(1)
    expect(server.grants).toHaveLength(1)
  })

  test('a blocked window is told, with the address for a link (H10)', async () => {
    const source = page({ openWindow: () => null })
    const url = await untilNeeded(source)

    await expect(source.signIn()).rejects.toMatchObject({ facts: { reason: 'popup-blocked' } })
    expect(source.getState()).toMatchObject({ status: 'needs-auth', reason: 'popup-blocked', signInUrl: url })
  })

  test('an answer that is no answer to this sign-in is not heard', async () => {
    const source = page()
    const url = await untilNeeded(source)
    const stop = new AbortController()
    const signedIn = source.signIn({ signal: stop.signal })
    await listening()
    const forged = server.agree(url)
    forged.searchParams.set('state', 'turnloop.popup.other')
    finishSignIn(forged)
    await listening()
    stop.abort('nobody came')

    await expect(signedIn).rejects.toBe('nobody came')
    expect(server.grants).toEqual([])
  })

  test('an answer of another authorization server is refused', async () => {
    const source = page()
    const url = await untilNeeded(source)
    const signedIn = source.signIn()
    await listening()
    const mixed = server.agree(url)
    mixed.searchParams.set('iss', 'https://evil.example')
    finishSignIn(mixed)

    await expect(signedIn).rejects.toMatchObject({ facts: { reason: 'sign-in-denied' } })
    expect(server.grants).toEqual([])
  })

  test('nobody is sent to an address that would run as this page', async () => {
    const { SdkProvider } = await import('../src/sdk-provider.ts')
    const round = { settings: {}, records: {}, state: '', pending: undefined, forgetRefresh: false }
    // Nothing else of it is asked for before the address is refused.
    const provider = new SdkProvider(round as unknown as ConstructorParameters<typeof SdkProvider>[0])

    await expect(provider.redirectToAuthorization(new URL('javascript:alert(1)'))).rejects.toThrow('javascript:')
  })

  test('two tabs refresh once between them', async () => {
    const vault = memoryVault()
    const clock = manualClock()
    const [one, two] = [page({ vault, clock }), page({ vault, clock })]
    const url = await untilNeeded(one)
    const signedIn = one.signIn()
    await listening()
    finishSignIn(server.agree(url))
    await signedIn
    const tools = [...(await one.list({ signal: quiet() })), ...(await two.list({ signal: quiet() }))]
    server.revoke()
    await clock.advance(3_600_000)
    await Promise.all(tools.flatMap((tool) => [1, 2].map((n) => tool.execute({ n }, callContext()))))

    expect(server.grants.map(({ grant_type }) => grant_type)).toEqual(['authorization_code', 'refresh_token'])
  })

  test('a server that refuses its own tokens is not asked for ever (H10)', async () => {
    await restart({ isBroken: true })
    const source = page()
    const url = await untilNeeded(source)
    const signedIn = source.signIn()
    await listening()
    finishSignIn(server.agree(url))

    await expect(signedIn).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
    expect(server.grants.length).toBeLessThan(3)
    await expect(source.list({ signal: quiet() })).rejects.toMatchObject({ facts: { reason: 'needs-auth' } })
    expect(server.grants.length).toBeLessThan(3)
  })
})

/** Let whoever waits for an answer begin to, and what was posted arrive. */
async function listening(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Wait for something that comes with what is going on. */
async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
