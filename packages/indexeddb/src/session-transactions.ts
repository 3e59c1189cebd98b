import type { Claim, Entry, ReadOptions, SessionHead } from '@turnloop/core'
import { joinLate } from './append-entries.ts'
import { dropLinks } from './blobs.ts'
import { keyRange, sequenceRange } from './key-range.ts'
import type { LateSave } from './late-saves.ts'
import { type LogState, NEW_LOG, type SessionDatabase, type SessionSchema } from './migrations.ts'
import { LOG_STORES, readTransaction, type StoreName, storeOf, writeTransaction } from './transactions.ts'

/** Raise a session's fence, once what its last writer saved late has joined the log. */
export function claimSession(database: SessionDatabase, sessionId: string, late: LateSave | undefined): Promise<Claim> {
  return writeTransaction(database, { stores: [...LOG_STORES, 'counters'] }, async (transaction) => {
    if (late !== undefined) await joinLate(transaction, late)
    // One count for all sessions: a session that was removed and made again gets no fence that somebody still holds.
    const fence = ((await storeOf(transaction, 'counters').get('fence')) ?? 0) + 1
    const { serial: _ofTheLastWriter, ...state } = (await storeOf(transaction, 'logs').get(sessionId)) ?? NEW_LOG
    transaction.objectStore('counters').put(fence, 'fence')
    transaction.objectStore('logs').put({ ...state, fence } satisfies LogState, sessionId)
    return { fence, lastSequence: state.lastSequence }
  })
}

/** Let late saves join their logs. */
export function joinAllLate(database: SessionDatabase, saves: readonly LateSave[]): Promise<void> {
  return writeTransaction(database, { stores: LOG_STORES }, async (transaction) => {
    for (const late of saves) await joinLate(transaction, late)
  })
}

/** Read a part of a log. */
export function readEntries(database: SessionDatabase, sessionId: string, options: ReadOptions): Promise<Entry[]> {
  return readTransaction(database, ['logs', 'entries'], async (transaction) => {
    const state = await transaction.objectStore('logs').get(sessionId)
    const { from, to } = sequenceRange(options, state?.lastSequence ?? 0)
    return from > to ? [] : transaction.objectStore('entries').getAll(keyRange(sessionId, from, to))
  })
}

/** Erase a session. Resolves with whether the database holds no session any more. */
export function removeSession(database: SessionDatabase, sessionId: string): Promise<boolean> {
  return writeTransaction(database, { stores: [...LOG_STORES, 'blobs', 'links'] }, async (transaction) => {
    transaction.objectStore('entries').delete(keyRange(sessionId, 1, Number.POSITIVE_INFINITY))
    for (const name of ['heads', 'opens', 'logs'] satisfies StoreName[]) transaction.objectStore(name).delete(sessionId)
    await dropLinks(transaction, sessionId)
    return (await storeOf(transaction, 'logs').count()) === 0
  })
}

/** One of the records beside a log. */
export function readRecord<Store extends 'heads' | 'opens'>(
  database: SessionDatabase,
  store: Store,
  sessionId: string,
): Promise<SessionSchema[Store]['value'] | undefined> {
  return readTransaction(database, [store], (transaction) => transaction.objectStore(store).get(sessionId))
}

/** All heads, newest first. */
export async function listHeads(database: SessionDatabase): Promise<SessionHead[]> {
  const heads = await readTransaction(database, ['heads'], (transaction) => transaction.objectStore('heads').getAll())
  return heads.sort((a, b) => b.updatedAt - a.updatedAt)
}
