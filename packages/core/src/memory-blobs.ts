import type { BlobStore, CollectOptions } from './blob-store.ts'

const DAY_MS = 86_400_000

/**
 * Blobs in memory, by session. `isKnown` says whether a session has a log or a head.
 *
 * Ages are told by the machine's clock.
 */
export class MemoryBlobs implements BlobStore {
  readonly #bytes = new Map<string, Uint8Array<ArrayBuffer>>()
  /** By session: what it holds, and since when. */
  readonly #links = new Map<string, Map<string, number>>()
  readonly #isKnown: (sessionId: string) => boolean

  constructor(isKnown: (sessionId: string) => boolean) {
    this.#isKnown = isKnown
  }

  async put(sessionId: string, bytes: Uint8Array): Promise<string> {
    const copy = new Uint8Array(bytes)
    const hash = await sha256(copy)
    if (!this.#bytes.has(hash)) this.#bytes.set(hash, copy)
    this.#hold(sessionId, hash)
    return hash
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    return this.#bytes.get(hash)?.slice()
  }

  async link(sessionId: string, hashes: Iterable<string>): Promise<void> {
    for (const hash of hashes) if (this.#bytes.has(hash)) this.#hold(sessionId, hash)
  }

  async retain(sessionId: string, hashes: Iterable<string>, { minAgeMs = 0 }: CollectOptions = {}): Promise<number> {
    const kept = new Set(hashes)
    return this.#drop(sessionId, minAgeMs, (hash) => !kept.has(hash))
  }

  async collect({ minAgeMs = DAY_MS }: CollectOptions = {}): Promise<number> {
    let freed = 0
    for (const sessionId of [...this.#links.keys()]) {
      if (!this.#isKnown(sessionId)) freed += this.#drop(sessionId, minAgeMs)
    }
    return freed
  }

  /** The session is gone. */
  remove(sessionId: string): void {
    this.#drop(sessionId, 0)
  }

  #hold(sessionId: string, hash: string): void {
    const links = this.#links.get(sessionId) ?? new Map<string, number>()
    // Named again, it is young again.
    this.#links.set(sessionId, links.set(hash, Date.now()))
  }

  #drop(sessionId: string, minAgeMs: number, isDropped: (hash: string) => boolean = () => true): number {
    const links = this.#links.get(sessionId)
    const latest = Date.now() - minAgeMs
    const dropped = [...(links ?? [])].filter(([hash, since]) => since <= latest && isDropped(hash))
    for (const [hash] of dropped) links?.delete(hash)
    if (links?.size === 0) this.#links.delete(sessionId)
    return dropped.reduce((freed, [hash]) => freed + this.#free(hash), 0)
  }

  #free(hash: string): number {
    if ([...this.#links.values()].some((links) => links.has(hash))) return 0
    const { byteLength } = this.#bytes.get(hash) ?? { byteLength: 0 }
    this.#bytes.delete(hash)
    return byteLength
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
