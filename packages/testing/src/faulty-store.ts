import {
  type AppendOptions,
  type BlobStore,
  type Claim,
  type Entry,
  type LastSave,
  MemoryStore,
  type OpenReply,
  type ReadOptions,
  type RewriteOptions,
  type SessionHead,
  type SessionStore,
} from '@turnloop/core'
import type { StoreFault } from './store-faults.ts'

/** The methods of a store that can be made to go wrong; `put` and `get` are those of its blobs. */
export type StoreMethod = 'claim' | 'append' | 'read' | 'head' | 'open' | 'list' | 'remove' | 'rewrite' | 'put' | 'get'

/** A page's own view of a disk, which can go wrong in every way that a database can. */
export interface FaultyStore<Disk extends SessionStore = SessionStore> extends SessionStore {
  /** What is really stored. */
  readonly disk: Disk
  /** Every append that was asked for, whatever became of it. */
  readonly appends: readonly { readonly entries: readonly Entry[]; readonly options: AppendOptions }[]
  /** Every `saveNow` that was asked for. */
  readonly lastSaves: readonly LastSave[]
  /** How often each method was called. */
  readonly calls: Readonly<Record<StoreMethod, number>>
  /** From now on the method goes wrong like this. */
  break(method: StoreMethod, fault: StoreFault): void
  /** The next calls go wrong like these, one after the other; then it is as before. */
  breakNext(method: StoreMethod, ...faults: StoreFault[]): void
  /** Its nth call, counted from the first ever and from 1, goes wrong like this. */
  breakAt(method: StoreMethod, nth: number, fault: StoreFault): void
  /** All is well again. */
  mend(): void
}

/**
 * Put a store in front of another that fails, is slow, never answers or tears its writes, where the test says so.
 *
 * Without faults it does what `disk` does (default: a new `MemoryStore`). It has no lock, no channel and no `subscribe`:
 * sessions on two of them do not know of each other. What can go wrong is in `storeFaults`.
 */
export function faultyStore(): FaultyStore<MemoryStore>
export function faultyStore<Disk extends SessionStore>(disk: Disk): FaultyStore<Disk>
export function faultyStore(disk: SessionStore = new MemoryStore()): FaultyStore {
  return new BreakableStore(disk)
}

class BreakableStore implements FaultyStore {
  readonly disk: SessionStore
  readonly appends: { readonly entries: readonly Entry[]; readonly options: AppendOptions }[] = []
  readonly lastSaves: LastSave[] = []
  readonly calls: Record<StoreMethod, number> = {
    ...{ claim: 0, append: 0, read: 0, head: 0, open: 0 },
    ...{ list: 0, remove: 0, rewrite: 0, put: 0, get: 0 },
  }
  readonly #faults = new Map<StoreMethod, StoreFault>()
  readonly #once = new Map<StoreMethod, StoreFault[]>()
  readonly #at = new Map<string, StoreFault>()

  constructor(disk: SessionStore) {
    this.disk = disk
  }

  get blobs(): BlobStore | undefined {
    const { blobs } = this.disk
    return (
      blobs && {
        put: (sessionId, bytes) => this.#call('put', () => blobs.put(sessionId, bytes)),
        get: (hash) => this.#call('get', () => blobs.get(hash)),
        link: (sessionId, hashes) => blobs.link(sessionId, hashes),
        retain: (sessionId, hashes, options) => blobs.retain(sessionId, hashes, options),
        collect: (options) => blobs.collect(options),
      }
    )
  }

  break(method: StoreMethod, fault: StoreFault): void {
    this.#faults.set(method, fault)
  }

  breakNext(method: StoreMethod, ...faults: StoreFault[]): void {
    this.#once.set(method, [...(this.#once.get(method) ?? []), ...faults])
  }

  breakAt(method: StoreMethod, nth: number, fault: StoreFault): void {
    this.#at.set(`${method} ${nth}`, fault)
  }

  mend(): void {
    for (const faults of [this.#faults, this.#once, this.#at]) faults.clear()
  }

  claim(sessionId: string): Promise<Claim> {
    return this.#call('claim', () => this.disk.claim(sessionId))
  }

  append(sessionId: string, entries: readonly Entry[], options: AppendOptions = {}): Promise<void> {
    this.appends.push({ entries, options })
    const { fence } = options
    const half = entries.slice(0, Math.ceil(entries.length / 2))
    return this.#call(
      'append',
      () => this.disk.append(sessionId, entries, options),
      () => this.disk.append(sessionId, half, fence === undefined ? {} : { fence }),
    )
  }

  saveNow(sessionId: string, save: LastSave): void {
    this.lastSaves.push(save)
    this.disk.saveNow?.(sessionId, save)
  }

  async rewrite(sessionId: string, entries: readonly Entry[], options: RewriteOptions = {}): Promise<void> {
    await this.#call('rewrite', async () => this.disk.rewrite?.(sessionId, entries, options))
  }

  read(sessionId: string, options?: ReadOptions): Promise<Entry[]> {
    return this.#call('read', () => this.disk.read(sessionId, options))
  }

  head(sessionId: string): Promise<SessionHead | undefined> {
    return this.#call('head', () => this.disk.head(sessionId))
  }

  open(sessionId: string): Promise<OpenReply | undefined> {
    return this.#call('open', () => this.disk.open(sessionId))
  }

  list(): Promise<SessionHead[]> {
    return this.#call('list', () => this.disk.list())
  }

  remove(sessionId: string): Promise<void> {
    return this.#call('remove', () => this.disk.remove(sessionId))
  }

  async #call<T>(method: StoreMethod, go: () => Promise<T>, goHalf: () => Promise<void> = async () => {}): Promise<T> {
    this.calls[method] += 1
    const fault =
      this.#at.get(`${method} ${this.calls[method]}`) ?? this.#once.get(method)?.shift() ?? this.#faults.get(method)
    return fault === undefined ? go() : fault(go, goHalf)
  }
}
