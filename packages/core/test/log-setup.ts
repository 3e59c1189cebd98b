import type { Entry, EntryDraft, SessionHead, StorageStatus } from '@turnloop/core'
import { type ManualClock, manualClock } from '@turnloop/testing'
import { SessionBlobs } from '../src/session-blobs.ts'
import { SessionLog } from '../src/session-log.ts'
import { type FaultyStore, faultyStore } from './faulty-store.ts'

/** A log on a store that can go wrong, and what it tells. */
export interface LogBench {
  readonly log: SessionLog
  readonly store: FaultyStore
  readonly clock: ManualClock
  readonly statuses: StorageStatus[]
  readonly queue: { id: string; turnId: string; createdAt: number; content: [] }[]
  readonly stale: number
}

/** Open the log of session `s`. */
export function openLog(store: FaultyStore = faultyStore()): LogBench {
  const clock = manualClock()
  const statuses: StorageStatus[] = []
  const queue: LogBench['queue'] = []
  let stale = 0
  const log: SessionLog = new SessionLog({
    sessionId: 's',
    store,
    clock,
    saveTimeoutMs: 5000,
    blobs: new SessionBlobs({ sessionId: 's', store, clock, saveTimeoutMs: 5000 }),
    at: () => undefined,
    queue: () => [...queue],
    records: () => ({ head: headAt(log.lastSequence, [...queue]), open: null }),
    onStatus: (status) => void statuses.push(status),
    onStale: () => {
      stale += 1
    },
  })
  return {
    log,
    store,
    clock,
    statuses,
    queue,
    get stale() {
      return stale
    },
  }
}

function headAt(lastSequence: number, queue: SessionHead['queue']): SessionHead {
  return { id: 's', createdAt: 0, updatedAt: 0, lastSequence, turns: 0, state: {}, usage: {}, queue }
}

/** Something small that happens in a turn. */
export function note(turnId = 't'): EntryDraft {
  return { type: 'checkpoint', position: 'reply', turnId }
}

/** A tool starts in a turn. */
export function toolStarted(turnId = 't'): EntryDraft {
  return { type: 'tool-started', callId: 'c', toolName: 'pay', input: {}, idempotencyKey: 'c', attempt: 1, turnId }
}

/** A turn ends. */
export function turnEnded(turnId = 't'): EntryDraft {
  return { type: 'turn-ended', outcome: { kind: 'completed' }, usage: {}, iterations: 0, turnId }
}

/** The numbers of entries. */
export function sequences(entries: readonly Entry[]): number[] {
  return entries.map(({ sequence }) => sequence)
}

/** The numbers of the entries that are on the disk. */
export async function stored({ store }: LogBench): Promise<number[]> {
  return sequences(await store.disk.read('s'))
}

/** Whether a promise has settled once everything that is ready has run. */
export async function answerOf<T>(promise: Promise<T>, { clock }: LogBench): Promise<T | 'waiting'> {
  let answer: T | 'waiting' = 'waiting'
  promise.then((value) => {
    answer = value
  })
  await clock.advance(0)
  return answer
}
