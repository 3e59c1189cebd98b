import type { Snapshot } from '@turnloop/core'
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

/** Whether there is something to stop: a turn, or a question that waits for its session to be loaded. */
export function isStoppable({ status, queue }: Pick<Snapshot, 'status' | 'queue'>): boolean {
  return status === 'running' || status === 'awaiting' || (status === 'loading' && queue.length > 0)
}

function nothingToStop(): void {}
