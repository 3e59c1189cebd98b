import type { StoreUsage } from '@turnloop/core'

/** How much this origin stores, of how much it may; both as the browser guesses them. */
export interface StorageUse {
  readonly usedBytes: number
  readonly quotaBytes: number
}

/** Ask the browser how full this origin's storage is. `undefined` where it does not tell. Never rejects. */
export async function storageEstimate(): Promise<StorageUse | undefined> {
  try {
    const { usage, quota } = await navigator.storage.estimate()
    return usage === undefined || quota === undefined ? undefined : { usedBytes: usage, quotaBytes: quota }
  } catch {
    // Some engines lack it, and opaque origins are refused.
    return undefined
  }
}

/** What the browser tells of this origin's storage. Never rejects. */
export async function storeUsage(): Promise<StoreUsage> {
  const [use, isPersistent] = await Promise.all([storageEstimate(), persisted()])
  return { ...use, ...(isPersistent !== undefined && { isPersistent }) }
}

async function persisted(): Promise<boolean | undefined> {
  try {
    return await navigator.storage.persisted()
  } catch {
    return undefined
  }
}

/**
 * Ask the browser not to delete this origin's data when space runs short or the site was not visited for long.
 *
 * Resolves with whether the data is safe from that now; `false` is a normal answer. Firefox asks the user, so call it
 * on a click. A worker can only ask how things stand. Never rejects.
 */
export async function requestPersistence(): Promise<boolean> {
  try {
    const { storage } = navigator
    if (await storage.persisted()) return true
    return 'persist' in storage ? await storage.persist() : false
  } catch {
    return false
  }
}
