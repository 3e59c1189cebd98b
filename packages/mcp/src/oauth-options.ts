import type { Clock } from '@turnloop/core'
import type { SignInFlow } from './sign-in-answer.ts'
import type { TokenVault } from './token-vault.ts'

/** A window that was opened for a sign-in. */
export interface SignInWindow {
  readonly location: { href: string }
  close(): void
}

/** Options of `oauthProvider()`. */
export interface OAuthOptions {
  /** The page that calls `finishSignIn()`: of this origin, and without a query. */
  redirectUrl: string | URL
  /** `'popup'`, the default, keeps the page; `'redirect'` leaves it and comes back. */
  flow?: SignInFlow
  /** What the person is shown as asking. Default: the title of the page. */
  clientName?: string
  /** For servers that know this page already. Without it the page registers itself. */
  clientId?: string
  /** Of such a server. In a page it is no secret. */
  clientSecret?: string
  /** An https URL that describes this client, for servers that take one in the place of a registration. */
  clientMetadataUrl?: string
  /** What is asked for where the server does not say. */
  scope?: string
  /** Default: `sessionStorage`, or memory where there is none. `storageVault(localStorage)` is shared by all tabs. */
  vault?: TokenVault
  /** How long a sign-in may take. Default 600,000. */
  signInTimeoutMs?: number
  /** Open the window of the sign-in, `null` if it was blocked. Default: `window.open`. */
  openWindow?: (url: string) => SignInWindow | null
  /** Leave the page. Default: `location.assign`. */
  navigate?: (url: string) => void
  /** For tests. */
  clock?: Clock
}

/** `OAuthOptions`, filled in. */
export interface OAuthSettings extends Omit<OAuthOptions, 'redirectUrl'> {
  readonly redirectUrl: string
  readonly flow: SignInFlow
  readonly clientName: string
  readonly vault: TokenVault
  readonly signInTimeoutMs: number
  readonly clock: Clock
  readonly openWindow: (url: string) => SignInWindow | null
  readonly navigate: (url: string) => void
}
