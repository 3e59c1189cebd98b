import { systemClock, TurnloopError } from '@turnloop/core'
import type { McpAuth, ServerAuth } from './mcp-auth.ts'
import type { OAuthOptions, OAuthSettings, SignInWindow } from './oauth-options.ts'
import { OAuthSession } from './oauth-session.ts'
import { memoryVault, storageVault } from './token-vault.ts'

/**
 * Sign in at MCP servers by OAuth 2.1 with PKCE, and keep the tokens fresh.
 *
 * Nothing is opened by itself: a server that wants a sign-in puts the source into state `needs-auth`, and
 * `source.signIn()`, in a click, does the rest. One sign-in per server is under way at a time, over reloads and tabs that
 * share the vault; so is one refresh, by a Web Lock. Somebody who says no is not asked again until the next `signIn()`.
 * Throws `bad-option`.
 */
export function oauthProvider(options: OAuthOptions): McpAuth {
  const settings = fill(options)
  const servers = new Map<string, ServerAuth>()
  return {
    forServer(url, fetch) {
      const known = servers.get(url.href)
      if (known !== undefined) return known
      const session = new OAuthSession(url, fetch, settings)
      servers.set(url.href, session)
      return session
    },
  }
}

function fill(options: OAuthOptions): OAuthSettings {
  const { flow = 'popup', redirectUrl, signInTimeoutMs = 600_000 } = options
  if (flow !== 'popup' && flow !== 'redirect') fail(`"flow" must be 'popup' or 'redirect'`)
  if (!(signInTimeoutMs > 0 && signInTimeoutMs < 2 ** 31)) fail('"signInTimeoutMs" must be milliseconds below 2^31')
  const hasSession = typeof sessionStorage !== 'undefined'
  return {
    ...options,
    flow,
    signInTimeoutMs,
    redirectUrl: absolute(redirectUrl),
    clientName: options.clientName ?? (typeof document === 'undefined' ? '' : document.title) ?? '',
    vault: options.vault ?? (hasSession ? storageVault(sessionStorage) : memoryVault()),
    clock: options.clock ?? systemClock,
    openWindow: options.openWindow ?? openPopup,
    navigate: options.navigate ?? ((url) => location.assign(url)),
  }
}

function openPopup(url: string): SignInWindow | null {
  const popup = window.open('about:blank', '_blank', 'popup,width=520,height=720')
  if (popup === null) return null
  // The page of the server must not be able to send this one elsewhere.
  popup.opener = null
  if (url !== 'about:blank') popup.location.href = url
  return popup
}

function absolute(url: string | URL | undefined): string {
  try {
    return new URL(url ?? '', typeof location === 'undefined' ? undefined : location.href).href
  } catch {
    return fail('"redirectUrl" must be a URL')
  }
}

function fail(text: string): never {
  throw new TurnloopError('bad-option', `oauthProvider: ${text}.`)
}
