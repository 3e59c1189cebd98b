import { badOption } from '../guardrail-settings.ts'
import type { PiiKind } from './find-pii.ts'

/** Gives a value a word that is always the same for it and does not tell it. */
export type Pseudonyms = (kind: string, value: string) => Promise<string>

let pageKey: Promise<CryptoKey> | undefined

/**
 * Pseudonyms by HMAC-SHA-256: ten letters, for the value without its separators.
 *
 * Without a salt the key is random and lasts as long as the page. Rejects with `bad-option` where the page has no
 * `crypto.subtle`, which is there in secure contexts only.
 */
export function pseudonyms(salt: string | undefined): Pseudonyms {
  let key: Promise<CryptoKey> | undefined
  return async (kind, value) => {
    key ??= salt === undefined ? randomKey() : keyOf(new TextEncoder().encode(salt))
    // First, since without it there is nothing to sign with either.
    const signing = await key
    const bytes = new TextEncoder().encode(`${kind}:${plainValue(kind, value)}`)
    const digest = new Uint8Array(await crypto.subtle.sign('HMAC', signing, bytes))
    // Letters only: digits could look like another number.
    return Array.from(digest.subarray(0, 10), (byte) => String.fromCharCode(97 + (byte % 16))).join('')
  }
}

function randomKey(): Promise<CryptoKey> {
  pageKey ??= keyOf(crypto.getRandomValues(new Uint8Array(32)))
  return pageKey
}

async function keyOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  // Typed as always there, and yet missing on a page that came over plain http.
  if ((crypto.subtle as SubtleCrypto | undefined) === undefined)
    throw badOption('pii', 'mode "hash" needs crypto.subtle, which browsers have on https and localhost alone')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

const AS_WRITTEN: ReadonlySet<string> = new Set<PiiKind>(['email'])

function plainValue(kind: string, value: string): string {
  return AS_WRITTEN.has(kind) ? value.toLowerCase() : value.replace(/[\s()./+-]/g, '').toUpperCase()
}
