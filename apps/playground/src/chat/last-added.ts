import { type Observable, observable } from '../app/observable.ts'
import type { TableInfo } from '../data/tables.ts'

/** The table that came in last from a file, until the notice about it is dismissed. */
export const lastAdded: Observable<TableInfo | undefined> = observable<TableInfo | undefined>(undefined)
