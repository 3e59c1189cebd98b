import { useCallback } from 'react'
import { usePlayground } from '../app/playground-context.ts'
import { useSessionId } from '../app/route.ts'
import { fileKind, looksTabular } from '../attachments/file-kinds.ts'
import { importFile } from '../sessions/import-sessions.ts'
import { holdsSessions } from '../sessions/session-file.ts'
import { attachFiles, dismissTroubles } from './attach-files.ts'
import { lastAdded } from './last-added.ts'

/**
 * Take files in: sessions that were exported are imported, tables are kept as tables, all others go with the question that is
 * being written. What goes wrong is shown above the composer.
 */
export function useAddFiles(): (files: readonly File[]) => void {
  const { library, store } = usePlayground()
  const sessionId = useSessionId()
  return useCallback(
    (files) => {
      const addAll = async (): Promise<void> => {
        dismissTroubles(sessionId)
        const places = await Promise.all(files.map(placeOf))
        const sorted = (place: Place): File[] => files.filter((_, index) => places[index] === place)
        // Shows each at once, and tells by itself what goes wrong.
        const attaching = attachFiles(sessionId, sorted('question'))
        for (const file of sorted('sessions')) await importFile(file, store)
        for (const file of sorted('tables')) lastAdded.set(await library.addFile(file))
        await attaching
      }
      addAll().catch(shownByTheLibrary)
    },
    [library, store, sessionId],
  )
}

type Place = 'sessions' | 'tables' | 'question'

const LOOKED_AT_BYTES = 8_000

async function placeOf(file: File): Promise<Place> {
  if (await holdsSessions(file)) return 'sessions'
  const kind = fileKind(file)
  if (kind === 'table') return 'tables'
  // Programs save tables under this ending, too.
  const isTabular = kind === 'text' && /\.txt$/i.test(file.name) && looksTabular(await beginningOf(file))
  return isTabular ? 'tables' : 'question'
}

async function beginningOf(file: File): Promise<string> {
  try {
    return await file.slice(0, LOOKED_AT_BYTES).text()
  } catch {
    // Reading it whole says what is wrong with it.
    return ''
  }
}

// The library says in its snapshot what went wrong, and the notice above the composer shows it.
function shownByTheLibrary(): void {}
