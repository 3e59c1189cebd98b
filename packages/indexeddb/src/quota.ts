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
