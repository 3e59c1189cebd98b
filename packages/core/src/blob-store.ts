/**
 * Large values of a store, apart from the log, by their content: an entry names the bytes by their sha-256.
 *
 * The same bytes are stored once, however many entries and sessions name them, and deleted with the last session that
 * holds them. Every method may be called from several tabs at once. Throws `StorageError`, as the store does.
 */
export interface BlobStore {
  /**
   * Store bytes and let a session hold them; resolves with their sha-256, in lower-case hex, once they are durable.
   *
   * Do it before the entry that names them is appended. The bytes are copied at once and may be changed afterwards.
   */
  put(sessionId: string, bytes: Uint8Array): Promise<string>
  /** A copy of the bytes of a hash, whichever session holds them; `undefined` if none does. */
  get(hash: string): Promise<Uint8Array | undefined>
  /** Let a session hold bytes that are here already, as a fork does. A hash that is not here is passed over. */
  link(sessionId: string, hashes: Iterable<string>): Promise<void>
  /**
   * Let a session hold only these of what it holds: those its log names. The rest was put by a page that died before it
   * wrote the entry, or was named by an entry that is erased. Resolves with how many bytes that freed.
   *
   * What the session has held for less than `minAgeMs` (default 0) stays: an entry may be on its way.
   */
  retain(sessionId: string, hashes: Iterable<string>, options?: CollectOptions): Promise<number>
  /**
   * Drop what was put for sessions that have neither a log nor a head, because the page died before it wrote either.
   * Resolves with how many bytes that freed. The same `minAgeMs`, by default a day.
   */
  collect(options?: CollectOptions): Promise<number>
}

/** How old something must be to be dropped. */
export interface CollectOptions {
  readonly minAgeMs?: number
}
