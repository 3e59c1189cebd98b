import { type Observable, observable } from './observable.ts'
import { preferences, setPreferences } from './preferences.ts'

/** The panes beside the conversation. */
export type PaneName = 'sessions' | 'inspector'

/** The pane that lies over the conversation on a narrow window. Not remembered: it covers what one came to read. */
export const openSheet: Observable<PaneName | undefined> = observable<PaneName | undefined>(undefined)

/** Open or close a side pane, beside the conversation or over it. */
export function togglePane(pane: PaneName, isNarrow: boolean): void {
  if (isNarrow) {
    openSheet.set(openSheet.get() === pane ? undefined : pane)
    return
  }
  const { sessionsOpen, inspectorOpen } = preferences.get()
  setPreferences(pane === 'sessions' ? { sessionsOpen: !sessionsOpen } : { inspectorOpen: !inspectorOpen })
}
