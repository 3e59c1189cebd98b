import type { AuthRecords, PendingSignIn, StoredTokens } from './auth-records.ts'
import type { OAuthSettings } from './oauth-options.ts'
import type { OAuthClientProvider } from './sdk.ts'
import { isWebAddress } from './web-address.ts'

type ClientInformation = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
type Tokens = Parameters<OAuthClientProvider['saveTokens']>[0]
type Discovery = Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]

/** What one round of OAuth runs with. */
export interface RoundOptions {
  readonly settings: OAuthSettings
  readonly records: AuthRecords
  /** Of a sign-in that this round may begin. */
  readonly state: string
  /** The sign-in that this round ends. */
  readonly pending: PendingSignIn | undefined
  /** Do not refresh: the person has to grant more. */
  readonly forgetRefresh: boolean
}

/** What the SDK asks for and wants kept during one round of OAuth. It never sends the person anywhere itself. */
export class SdkProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly saveClientInformation?: NonNullable<OAuthClientProvider['saveClientInformation']>
  readonly #round: RoundOptions
  #codeVerifier: string
  #discovery: unknown

  constructor(round: RoundOptions) {
    this.#round = round
    this.#codeVerifier = round.pending?.codeVerifier ?? ''
    this.#discovery = round.pending?.discovery
    const { clientId, clientMetadataUrl } = round.settings
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
    if (clientId === undefined) {
      this.saveClientInformation = (client) => round.records.write('client', client)
    }
  }

  get redirectUrl(): string {
    return this.#round.settings.redirectUrl
  }

  get clientMetadata(): OAuthClientProvider['clientMetadata'] {
    const { clientName, clientSecret, redirectUrl, scope } = this.#round.settings
    return {
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(clientName !== '' && { client_name: clientName }),
      ...(scope !== undefined && { scope }),
    }
  }

  state(): string {
    return this.#round.state
  }

  async clientInformation(): Promise<ClientInformation> {
    const { clientId, clientSecret } = this.#round.settings
    if (clientId === undefined) return this.#registered()
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
  }

  /** One that was registered for another page to come back to is of no use: people would be refused. */
  async #registered(): Promise<ClientInformation> {
    const client = await this.#round.records.read<{ client_id: string; redirect_uris?: readonly string[] }>('client')
    return client?.redirect_uris?.includes(this.redirectUrl) === false ? undefined : client
  }

  async tokens(): Promise<Tokens | undefined> {
    const tokens = await this.#round.records.read<StoredTokens>('tokens')
    if (tokens === undefined) return undefined
    const { refresh_token, ...rest } = tokens
    return this.#round.forgetRefresh || refresh_token === undefined ? rest : { ...rest, refresh_token }
  }

  async saveTokens(tokens: Tokens): Promise<void> {
    const { clock } = this.#round.settings
    const { expires_in } = tokens
    await this.#round.records.write('tokens', {
      ...tokens,
      // A moment, not a length: it is read after a reload.
      ...(expires_in !== undefined && { expiresAt: clock.now() + expires_in * 1000 }),
    })
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier
  }

  codeVerifier(): string {
    return this.#codeVerifier
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    // It goes into the address of a window of this origin, where "javascript:" would run as this page.
    if (!isWebAddress(url)) throw new TypeError(`the server wants people to sign in at ${url.protocol}`)
    const { records, settings, state } = this.#round
    const pending: PendingSignIn = {
      state,
      codeVerifier: this.#codeVerifier,
      url: url.href,
      startedAt: settings.clock.now(),
      discovery: this.#discovery,
    }
    await records.write('pending', pending)
  }

  saveDiscoveryState(discovery: Discovery): void {
    this.#discovery = discovery
  }

  discoveryState(): Discovery | undefined {
    // What `saveDiscoveryState` was given, perhaps in an earlier page.
    return this.#discovery as Discovery | undefined
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const { records } = this.#round
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined
    if (scope === 'all' || scope === 'client') await records.remove('client')
    if (scope === 'all' || scope === 'tokens') await records.remove('tokens')
  }
}
