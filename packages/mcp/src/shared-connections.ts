import type { Connection } from './connection.ts'

/** One connection, and for how many it is open. */
export interface SharedConnection {
  readonly connection: Connection
  /** Let go of it; the last one closes it. */
  release(): Promise<void>
}

interface Shared {
  readonly keys: readonly unknown[]
  readonly connection: Connection
  users: number
}

const shared: Shared[] = []

/**
 * The connection that was made with the same keys, or a new one. Keys are compared as they are, one by one: the URL and
 * everything that a connection is opened with.
 */
export function shareConnection(keys: readonly unknown[], create: () => Connection): SharedConnection {
  let entry = shared.find((known) => known.keys.length === keys.length && known.keys.every((key, i) => key === keys[i]))
  if (entry === undefined) {
    entry = { keys, connection: create(), users: 0 }
    shared.push(entry)
  }
  const mine = entry
  mine.users += 1
  return {
    connection: mine.connection,
    release: async () => {
      mine.users -= 1
      if (mine.users > 0) return
      shared.splice(shared.indexOf(mine), 1)
      await mine.connection.close()
    },
  }
}
