import { StorageError } from '@turnloop/core'
import { storageEstimate } from './quota.ts'

/** The name of anything thrown. Errors are told apart by it: not every engine has a class for each. */
export function nameOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('name' in error)) return undefined
  return typeof error.name === 'string' ? error.name : undefined
}

/**
 * Whether a failure means that the connection is of no more use, so that another one may do better.
 *
 * A closed connection refuses with InvalidStateError, one that the browser closes aborts what is under way, and WebKit
 * answers UnknownError to everything once its storage process has died.
 */
export function isConnectionLost(error: unknown): boolean {
  return LOST.has(nameOf(error) ?? '')
}

const LOST: ReadonlySet<string> = new Set(['InvalidStateError', 'UnknownError', 'AbortError'])

/** Any failure as a `StorageError`; `what` says what was being done, as in "Saving session x". */
export async function toStorageError(error: unknown, what: string): Promise<StorageError> {
  if (error instanceof StorageError) return error
  if (nameOf(error) === 'QuotaExceededError') return quotaExceeded(error, what)
  return new StorageError(
    'storage-unavailable',
    `${what} failed: this browser refuses to store data here, or the database is damaged. Check that the site may ` +
      'store data.',
    { cause: error },
  )
}

async function quotaExceeded(cause: unknown, what: string): Promise<StorageError> {
  const use = await storageEstimate()
  const figures = use === undefined ? '' : ` (${use.usedBytes} of ${use.quotaBytes} bytes are used)`
  return new StorageError(
    'quota-exceeded',
    `${what} failed: no room is left${figures}. Remove sessions, or free space on the device.`,
    { cause, facts: { ...use } },
  )
}
