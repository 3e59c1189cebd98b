import { useCallback } from 'react'
import { useTurn } from './use-turn.ts'

/** The reason that Stop and Escape give; it stands in the log. */
export const STOPPED_BY_USER = 'user'

/** Stop the running turn of the session in the address. How it ended shows in the conversation. */
export function useStop(): () => void {
  const cancel = useTurn((turn) => turn.cancel)
  return useCallback(() => {
    cancel(STOPPED_BY_USER).catch(nothingToStop)
  }, [cancel])
}

function nothingToStop(): void {}
