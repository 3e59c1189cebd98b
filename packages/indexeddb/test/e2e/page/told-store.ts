import { type Entry, type SessionStore, StorageError } from '@turnloop/core'
import type { IndexedDbStore } from '@turnloop/indexeddb'
import type { Opening, WriteFault } from './page-port.ts'

/** A store whose every write is told outside before and after; who is told may hold it there for ever. */
export interface ToldStore extends SessionStore {
  mend(): void
}

/** Tell of the writes to a store, and let some of them go wrong. */
export function toldStore(inner: IndexedDbStore, { id, fault }: Opening): ToldStore {
  let writes = 0
  let isMended = false

  const faultOf = (write: number): WriteFault | undefined => {
    if (fault === undefined || isMended || write < fault.from || write > (fault.to ?? fault.from)) return undefined
    return fault.kind
  }
  const write = async <T>(entries: readonly Entry[], go: () => Promise<T>): Promise<T> => {
    writes += 1
    const point = { session: id, write: String(writes), last: String(entries.at(-1)?.sequence ?? 0) }
    const kind = faultOf(writes)
    await tell({ ...point, side: 'before' })
    const answer = await perform(go, kind)
    await tell({ ...point, side: 'after' })
    return answer
  }

  return {
    ...inner,
    claim: (sessionId) => write([], () => inner.claim(sessionId)),
    append: (sessionId, entries, options) => write(entries, () => inner.append(sessionId, entries, options)),
    mend: () => {
      isMended = true
    },
  }
}

async function perform<T>(go: () => Promise<T>, fault: WriteFault | undefined): Promise<T> {
  if (fault === 'refused') throw new StorageError('storage-unavailable', 'This write is refused.')
  if (fault === 'full') throw new StorageError('quota-exceeded', 'No room is left for this write.')
  if (fault === 'hangs') return new Promise(() => {})
  const answer = await go()
  if (fault === 'lost') throw new StorageError('disconnected', 'The answer of this write was lost.')
  return answer
}

/** Tell the server something; resolves when it lets the page go on. */
async function tell(what: Record<string, string>): Promise<void> {
  await fetch(`/point?${new URLSearchParams(what)}`, { method: 'POST' })
}
