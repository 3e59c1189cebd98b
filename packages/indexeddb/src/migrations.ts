import type { Entry, OpenReply, SessionHead } from '@turnloop/core'
import type { DBSchema, IDBPDatabase } from 'idb'

/** What is in the database: every store has its keys outside its values, so values are stored as they came. */
export interface SessionSchema extends DBSchema {
  /** By session and sequence, so that a part of one log is one key range. */
  entries: { key: [sessionId: string, sequence: number]; value: Entry }
  heads: { key: string; value: SessionHead }
  opens: { key: string; value: OpenReply }
  /** Where each log stands; apart from the head, which belongs to the writer. */
  logs: { key: string; value: LogState }
  /** `fence`: the last fence given in this database. */
  counters: { key: 'fence'; value: number }
  /** Bytes by their sha-256. Never a Blob, which WebKit cannot store everywhere. */
  blobs: { key: string; value: Uint8Array }
  /** Which session holds which bytes. */
  links: { key: [sessionId: string, hash: string]; value: BlobLink; indexes: { hash: string } }
}

/** That a session holds bytes. */
export interface BlobLink {
  readonly hash: string
  readonly byteLength: number
  /** Epoch ms. */
  readonly since: number
}

/** Where a session's log stands. */
export interface LogState {
  readonly lastSequence: number
  /** Of the last claim; 0 before the first. */
  readonly fence: number
  /** The writer of that fence numbers its writes; of the last one. */
  readonly serial?: number
  /** Whether a growing reply is stored beside it; `undefined` where nobody has noted it. */
  readonly hasOpen?: boolean
}

/** Of a session that the database does not know. */
export const NEW_LOG: LogState = { lastSequence: 0, fence: 0 }

/** The open database. */
export type SessionDatabase = IDBPDatabase<SessionSchema>

/** One step of the schema, run inside the upgrade's transaction. */
export type Migration = (database: SessionDatabase) => void

/**
 * The steps of the schema, oldest first; their number is the database's version.
 *
 * Only ever add to the end: databases that went through the earlier steps are out there.
 */
export const MIGRATIONS: readonly Migration[] = [
  (database) => {
    for (const name of ['entries', 'heads', 'opens', 'logs', 'counters'] as const) database.createObjectStore(name)
  },
  (database) => {
    database.createObjectStore('blobs')
    database.createObjectStore('links').createIndex('hash', 'hash')
  },
]
