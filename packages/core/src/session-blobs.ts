import { ABANDONED, settleBefore, settleWithin } from './abort.ts'
import type { BlobStore } from './blob-store.ts'
import {
  type BlobRef,
  bytesOf,
  fromReference,
  isLarge,
  mapParts,
  type Part,
  partsOf,
  referenceOf,
  toReference,
} from './blob-values.ts'
import type { Clock } from './clock.ts'
import { deepFreeze } from './json.ts'
import type { SessionStore } from './session-store.ts'
import { historyMessages, type TranscriptSource } from './transcript.ts'

/** What a session's large values are kept with. */
export interface SessionBlobsOptions {
  readonly sessionId: string
  readonly store: Pick<SessionStore, 'blobs'>
  readonly clock: Clock
  /** How long a turn waits for what it needs of the store before it goes on without. */
  readonly saveTimeoutMs: number
}

/**
 * Large values of a session: out of what is stored, and back into what a turn works with.
 *
 * Whoever made a value has it at hand as it is, and what is stored of it holds a reference. So the loop, its tools and its
 * hooks never meet one: what a turn starts from is brought back first.
 */
export class SessionBlobs {
  readonly #options: SessionBlobsOptions
  /** How values are stored, or would be. */
  readonly #forms = new WeakMap<object, unknown>()
  /** Values as they are with what stands apart. */
  readonly #brought = new WeakMap<object, object>()
  /** Values in which nothing stands apart, or of which it was found. */
  readonly #complete = new WeakSet<object>()

  constructor(options: SessionBlobsOptions) {
    this.#options = options
  }

  get #blobs(): BlobStore | undefined {
    return this.#options.store.blobs
  }

  /** Whether something is too large to be stored as it is, and has not been put apart yet. */
  isLarge(values: readonly object[]): boolean {
    return this.#blobs !== undefined && values.some((value) => this.#largeParts(value).length > 0)
  }

  /** Put apart what is large in these values: before they are stored. Rejects with what the store throws. */
  async keep(values: readonly object[]): Promise<void> {
    for (const value of values) {
      const large = this.#largeParts(value)
      if (large.length > 0) await this.#keep(value, large)
    }
  }

  async #keep(value: object, large: readonly Part[]): Promise<void> {
    const { sessionId } = this.#options
    const references = new Map<Part, BlobRef>()
    for (const part of large) {
      const bytes = bytesOf(part)
      const blob = bytes && (await this.#blobs?.put(sessionId, bytes))
      if (blob !== undefined) references.set(part, { blob, byteLength: bytes?.byteLength ?? 0 })
    }
    const form = mapParts(value, (part, original) => {
      const reference = references.get(original)
      return reference === undefined ? part : toReference(part, reference)
    })
    // Meanwhile it may have been stored as it is, by a page that was about to go: so it stays, or it would contradict itself.
    if (!this.#forms.has(value)) this.#forms.set(value, deepFreeze(form))
  }

  #largeParts(value: object): readonly Part[] {
    return this.#forms.has(value) ? [] : partsOf(value).filter(isLarge)
  }

  /** What is stored of a value; from now on it is stored no other way. */
  storedForm<T extends object>(value: T): T {
    if (!this.#forms.has(value)) this.#forms.set(value, value)
    // What was put there is the value's own form.
    return this.#forms.get(value) as T
  }

  /** The bytes of a hash; `undefined` where they are not, or no longer, there. Rejects with what the store throws. */
  async read(hash: string): Promise<Uint8Array | undefined> {
    return this.#blobs?.get(hash)
  }

  /**
   * Read what stands apart of these values, so that `whole` and `wholeSource` have it; `undefined` where nothing does. Never
   * rejects, ends with the signal, and takes no longer than a save may.
   */
  fetch(values: readonly object[], signal?: AbortSignal): Promise<unknown> | undefined {
    const apart = values.filter((value) => !this.#isWhole(value))
    if (apart.length === 0) return undefined
    const fetching = this.#fetch(apart)
    const { clock } = this.#options
    return signal === undefined ? fetching : settleWithin(fetching, { signal, graceMs: 0, clock })
  }

  /** A value with all that stands apart back in place, or told to be gone. Fetched before; else the value itself. */
  whole<T extends object>(value: T): T {
    // Kept under the value itself: what is sent again is the same object, so that nobody converts it twice.
    return (this.#brought.get(value) as T | undefined) ?? value
  }

  /** The same for what requests are made of; the same source where nothing of it stands apart. */
  wholeSource(source: TranscriptSource): TranscriptSource {
    if (historyMessages(source).every((message) => this.whole(message) === message)) return source
    return {
      ...source,
      messages: source.messages.map((logged) => ({ ...logged, message: this.whole(logged.message) })),
      overlays: source.overlays.map((overlay) => ({
        ...overlay,
        shows: overlay.shows.map((message) => this.whole(message)),
      })),
    }
  }

  async #fetch(apart: readonly object[]): Promise<void> {
    const hashes = [...blobsIn(apart)]
    const found = new Map(await Promise.all(hashes.map(async (hash) => [hash, await this.#find(hash)] as const)))
    for (const value of apart) {
      let isComplete = true
      const brought = mapParts(value, (part) => {
        const reference = referenceOf(part)
        if (reference === undefined) return part
        const bytes = found.get(reference.blob)
        isComplete &&= bytes !== undefined
        return fromReference(part, bytes)
      })
      this.#brought.set(value, deepFreeze(brought))
      // What was not there may only not have been read: it is looked for again.
      if (isComplete) this.#complete.add(value)
    }
  }

  async #find(hash: string): Promise<Uint8Array | undefined> {
    const { clock, saveTimeoutMs } = this.#options
    const found = await settleBefore(this.read(hash), saveTimeoutMs, clock).catch(() => undefined)
    return found === ABANDONED ? undefined : found
  }

  #isWhole(value: object): boolean {
    if (this.#complete.has(value)) return true
    if (blobsIn([value]).size > 0) return false
    this.#complete.add(value)
    return true
  }
}

/** The hashes that values name. */
export function blobsIn(values: readonly object[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => partsOf(value).flatMap((part) => referenceOf(part)?.blob ?? [])))
}
