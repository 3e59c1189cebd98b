import { useCallback } from 'react'
import { usePlayground } from '../app/playground-context.ts'
import { lastAdded } from './last-added.ts'

/** Make tables of files, one after the other. What goes wrong is shown above the composer. */
export function useAddFiles(): (files: readonly File[]) => void {
  const { library } = usePlayground()
  return useCallback(
    (files) => {
      const addAll = async (): Promise<void> => {
        for (const file of files) lastAdded.set(await library.addFile(file))
      }
      addAll().catch(shownByTheLibrary)
    },
    [library],
  )
}

// The library says in its snapshot what went wrong, and the notice above the composer shows it.
function shownByTheLibrary(): void {}
