import type { SessionStore } from '@turnloop/core'
import { LOG_CASES } from './store-contract-log.ts'
import { RECORD_CASES } from './store-contract-records.ts'
import { NOTICE_CASES, REOPEN_CASES, SHARED_NOTICE_CASES } from './store-contract-tabs.ts'
import { WRITER_CASES } from './store-contract-writers.ts'

/** A store to be tested, and what it can do. */
export interface StoreContractOptions {
  /** Make an empty store that nobody else uses. Called once per case. */
  createStore(): Promise<SessionStore>
  /** Connect again to the data of the store made last, as another tab or a reloaded page does. */
  reopen?(): Promise<SessionStore>
  /** `false` for a store without `subscribe`. */
  subscribes?: boolean
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
  const { createStore, reopen } = options
  const silent = options.subscribes === false ? 'the store has no "subscribe"' : undefined
  const lonely = reopen === undefined ? 'no "reopen" was given' : undefined
  const alone = (check: (store: SessionStore) => Promise<void>) => async () => check(await createStore())
  const shared = (check: (first: SessionStore, second: SessionStore) => Promise<void>) => async () => {
    if (reopen !== undefined) await check(await createStore(), await reopen())
  }
  return [
    ...listCases({ ...LOG_CASES, ...WRITER_CASES, ...RECORD_CASES }, alone, undefined),
    ...listCases(NOTICE_CASES, alone, silent),
    ...listCases(REOPEN_CASES, shared, lonely),
    ...listCases(SHARED_NOTICE_CASES, shared, lonely ?? silent),
  ]
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
