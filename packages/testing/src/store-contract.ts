import type { SessionStore } from '@turnloop/core'
import { BLOB_CASES, SHARED_BLOB_CASES } from './store-contract-blobs.ts'
import { equal, partOf, type SharedStoreCases, type StoreCases, type StorePart } from './store-contract-checks.ts'
import { LOG_CASES } from './store-contract-log.ts'
import { RECORD_CASES } from './store-contract-records.ts'
import { REWRITE_CASES, REWRITE_NOTICE_CASES, SHARED_REWRITE_CASES } from './store-contract-rewrites.ts'
import { SAVE_CASES, SHARED_SAVE_CASES } from './store-contract-saves.ts'
import { NOTICE_CASES, REOPEN_CASES, SHARED_NOTICE_CASES } from './store-contract-tabs.ts'
import { WRITER_CASES } from './store-contract-writers.ts'

/** A store to be tested, and what it can do. */
export interface StoreContractOptions {
  /** Make an empty store that nobody else uses. Called once per case. */
  createStore(): Promise<SessionStore>
  /** Connect again to the data of the store made last, as another tab or a reloaded page does. */
  reopen?(): Promise<SessionStore>
  /** The optional parts that this store does not have. What is missing and not named here fails its cases. */
  without?: readonly StorePart[]
}

/** One fact about every store. Give `name` and `run` to any test runner. */
export interface ContractCase {
  readonly name: string
  /** Why it cannot be run with these options; `run` then does nothing. */
  readonly skipped?: string
  /** Rejects with what is wrong. */
  run(): Promise<void>
}

/**
 * The facts that hold for every `SessionStore`, as plain cases: the same ones run in Node and in any browser.
 *
 * Cases that need what the options do not offer are still listed, with the reason. Each case makes its own store; cases
 * must not run at the same time, because `reopen` means the store made last.
 */
export function storeContract(options: StoreContractOptions): ContractCase[] {
  const { createStore, reopen, without = [] } = options
  const lonely = reopen === undefined ? 'no "reopen" was given' : undefined
  const alone = (check: (store: SessionStore) => Promise<void>) => async () => check(await createStore())
  const shared = (check: (first: SessionStore, second: SessionStore) => Promise<void>) => async () => {
    if (reopen !== undefined) await check(await createStore(), await reopen())
  }
  const gap = (parts: readonly StorePart[]): string | undefined => {
    const missing = parts.find((part) => without.includes(part))
    return missing && `the store has no "${missing}"`
  }
  const alones: [StoreCases, ...StorePart[]][] = [
    [{ ...LOG_CASES, ...WRITER_CASES, ...RECORD_CASES, ...gapCases(without) }],
    [NOTICE_CASES, 'subscribe'],
    [SAVE_CASES, 'saveNow'],
    [REWRITE_CASES, 'rewrite'],
    [REWRITE_NOTICE_CASES, 'rewrite', 'subscribe'],
    [BLOB_CASES, 'blobs'],
    [USAGE_CASES, 'usage'],
  ]
  const shareds: [SharedStoreCases, ...StorePart[]][] = [
    [REOPEN_CASES],
    [SHARED_NOTICE_CASES, 'subscribe'],
    [SHARED_SAVE_CASES, 'saveNow'],
    [SHARED_REWRITE_CASES, 'rewrite'],
    [SHARED_BLOB_CASES, 'blobs'],
  ]
  return [
    ...alones.flatMap(([checks, ...parts]) => listCases(checks, alone, gap(parts))),
    ...shareds.flatMap(([checks, ...parts]) => listCases(checks, shared, lonely ?? gap(parts))),
  ]
}

/** What is named as missing is missing: a part that was added later is tested from then on. */
function gapCases(without: readonly StorePart[]): StoreCases {
  return Object.fromEntries(
    without.map((part) => [
      `the store has no ${part}`,
      async (store) => equal(store[part] === undefined, true, `whether "${part}" is missing`),
    ]),
  )
}

const USAGE_CASES: StoreCases = {
  'what is used is told as bytes, where it is known': async (store) => {
    const { usedBytes = 0, quotaBytes = 0 } = await partOf(store, 'usage').call(store)
    equal([usedBytes >= 0, quotaBytes >= 0], [true, true], 'whether these are sizes')
  },
}

function listCases<Check>(
  checks: Readonly<Record<string, Check>>,
  start: (check: Check) => () => Promise<void>,
  skipped: string | undefined,
): ContractCase[] {
  return Object.entries(checks).map(([name, check]) =>
    skipped === undefined ? { name, run: start(check) } : { name, skipped, run: async () => {} },
  )
}
