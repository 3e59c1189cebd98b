import type { Entry } from './entries.ts'

const MARKS = ['type', 'at', 'turnId', 'erased'] as const

/** Whether an entry that was read again is still the one that is here: the log may have been erased and begun anew. */
export function isSameEntry(known: Entry | undefined, read: Entry | undefined): boolean {
  return MARKS.every((mark) => known?.[mark] === read?.[mark])
}
