import {
  type AppendOptions,
  type Claim,
  type Entry,
  MemoryStore,
  type OpenReply,
  type ReadOptions,
  type SessionHead,
  type SessionStore,
  StorageError,
  type TurnloopErrorCode,
} from '@turnloop/core'

/** What a store does in place of the call `go`. */
export type Behaviour = <T>(go: () => Promise<T>) => Promise<T>

/** Refuse, having done nothing. */
export function refuse(code: TurnloopErrorCode): Behaviour {
  return async () => {
    throw new StorageError(code, `refused: ${code}`)
  }
}

/** Do it, and lose the answer. */
export const loseAnswer: Behaviour = async (go) => {
  await go()
  throw new StorageError('disconnected', 'the answer was lost')
}

/** Throw something that is no error of a store. */
export const throwForeign: Behaviour = async (go) => {
  await go()
  throw new TypeError('not of this port')
}

/** Never do it and never answer. */
export const hang: Behaviour = () => new Promise(() => {})

/** Do it, and never answer. */
export const hangAfter: Behaviour = async (go) => {
  await go()
  return new Promise(() => {})
}

/** Do it once `gate` is open. */
export function waitFor(gate: Promise<unknown>): Behaviour {
  return async (go) => {
    await gate
    return go()
  }
}

type Method = 'claim' | 'append' | 'read' | 'head' | 'open'

/** A page's own view of a shared disk, which can go wrong in every way a database can. */
export class FaultyStore implements SessionStore {
  readonly disk: MemoryStore
  /** Every append that was asked for, whatever became of it. */
  readonly appends: { readonly entries: readonly Entry[]; readonly options: AppendOptions }[] = []
  /** How often each method was called. */
  readonly calls: Record<Method, number> = { claim: 0, append: 0, read: 0, head: 0, open: 0 }
  readonly #behaviours = new Map<Method, Behaviour>()
  readonly #once = new Map<Method, Behaviour[]>()

  constructor(disk: MemoryStore = new MemoryStore()) {
    this.disk = disk
  }

  /** From now on the method behaves like this. */
  break(method: Method, behaviour: Behaviour): void {
    this.#behaviours.set(method, behaviour)
  }

  /** The next calls behave like these, one after the other. */
  breakNext(method: Method, ...behaviours: Behaviour[]): void {
    this.#once.set(method, [...(this.#once.get(method) ?? []), ...behaviours])
  }

  /** All is well again. */
  mend(): void {
    this.#behaviours.clear()
    this.#once.clear()
  }

  claim(sessionId: string): Promise<Claim> {
    return this.#call('claim', () => this.disk.claim(sessionId))
  }

  append(sessionId: string, entries: readonly Entry[], options: AppendOptions = {}): Promise<void> {
    this.appends.push({ entries, options })
    return this.#call('append', () => this.disk.append(sessionId, entries, options))
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
    return this.disk.list()
  }

  remove(sessionId: string): Promise<void> {
    return this.disk.remove(sessionId)
  }

  #call<T>(method: Method, go: () => Promise<T>): Promise<T> {
    this.calls[method] += 1
    const behaviour = this.#once.get(method)?.shift() ?? this.#behaviours.get(method)
    return behaviour === undefined ? go() : behaviour(go)
  }
}
