import type { Entry } from './entries.ts'

/** Whether an entry that was read again is still the one that is here: the log may have been erased and begun anew. */
export function isSameEntry(known: Entry | undefined, read: Entry | undefined): boolean {
  return known?.type === read?.type && known?.at === read?.at && known?.turnId === read?.turnId
}
