import { useCallback } from 'react'
import { usePlayground } from '../app/playground-context.ts'
import { importFile } from '../sessions/import-sessions.ts'
import { holdsSessions } from '../sessions/session-file.ts'
import { lastAdded } from './last-added.ts'

/** Take files in, one after the other: sessions that were exported, and all others as tables. What goes wrong is shown above the composer. */
export function useAddFiles(): (files: readonly File[]) => void {
  const { library, store } = usePlayground()
  return useCallback(
    (files) => {
      const addAll = async (): Promise<void> => {
        for (const file of files) {
          if (await holdsSessions(file)) await importFile(file, store)
          else lastAdded.set(await library.addFile(file))
        }
      }
      addAll().catch(shownByTheLibrary)
    },
    [library, store],
  )
}

// The library says in its snapshot what went wrong, and the notice above the composer shows it.
function shownByTheLibrary(): void {}
