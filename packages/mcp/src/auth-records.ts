import type { TokenVault } from './token-vault.ts'

/** Tokens as the authorization server gave them, and until when they are good, in epoch ms. */
export interface StoredTokens {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string | undefined
  readonly expires_in?: number | undefined
  readonly scope?: string | undefined
  readonly expiresAt?: number
  readonly [more: string]: unknown
}

/** A sign-in that is under way. Its secret is kept until it is used or too old, over reloads too. */
export interface PendingSignIn {
  readonly state: string
  readonly codeVerifier: string
  /** Where the person signs in. */
  readonly url: string
  /** Epoch ms. */
  readonly startedAt: number
  /** What was found out about the authorization server. */
  readonly discovery?: unknown
}

/** What is kept for one server in a vault. Values are JSON, and what cannot be read counts as absent. */
export class AuthRecords {
  readonly #vault: TokenVault
  readonly #server: string

  constructor(vault: TokenVault, server: string) {
    this.#vault = vault
    this.#server = server
  }

  /** Read one record. The caller says what it had written. */
  async read<T>(name: RecordName): Promise<T | undefined> {
    const text = await this.#vault.get(this.#key(name))
    if (text === undefined) return undefined
    try {
      const record: T = JSON.parse(text)
      return record
    } catch {
      return undefined
    }
  }

  async write(name: RecordName, value: object): Promise<void> {
    await this.#vault.set(this.#key(name), JSON.stringify(value))
  }

  async remove(...names: readonly RecordName[]): Promise<void> {
    for (const name of names) await this.#vault.remove(this.#key(name))
  }

  #key(name: RecordName): string {
    return `turnloop-mcp:${name}:${this.#server}`
  }
}

/** The records of a server. */
export type RecordName = 'tokens' | 'client' | 'pending'
