import { type StorageUse, storageEstimate } from '@turnloop/indexeddb'
import { useEffect, useState } from 'react'

/** How much of this browser the page uses, and whether that is safe from being cleared. */
export interface StorageFacts {
  readonly use: StorageUse | undefined
  readonly isPersistent: boolean
}

/** The figures of the browser, read again whenever `version` changes. Undefined until they are known. */
export function useStorageFacts(version: unknown): StorageFacts | undefined {
  const [facts, setFacts] = useState<StorageFacts>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version is what the figures depend on
  useEffect(() => {
    let isShown = true
    const read = async (): Promise<void> => {
      const [use, isPersistent] = await Promise.all([storageEstimate(), isStoragePersistent()])
      if (isShown) setFacts({ use, isPersistent })
    }
    // Neither of them rejects.
    void read()
    return () => {
      isShown = false
    }
  }, [version])
  return facts
}

async function isStoragePersistent(): Promise<boolean> {
  try {
    return await navigator.storage.persisted()
  } catch {
    // A browser that does not tell keeps no promise.
    return false
  }
}
