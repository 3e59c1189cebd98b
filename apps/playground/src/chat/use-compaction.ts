import type { CompactionReport } from '@turnloop/core'
import { useCallback } from 'react'
import { announce } from '../app/announcer.tsx'
import { toasts } from '../app/toasts.tsx'
import { STOPPED_BY_USER } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'

/** The commands that shorten the conversation for the model, and bring it back. */
export interface CompactionCommands {
  /** Something runs or waits: the conversation is not to be changed under it. */
  readonly isBusy: boolean
  preview(): Promise<CompactionReport>
  compact(): void
  undo(): void
}

/** Compact the session in the address, and take that back. How it went is read out; failures are shown. */
export function useCompaction(): CompactionCommands {
  const { isBusy, preview, compact, undo } = useTurn((turn) => ({
    isBusy: turn.status !== 'idle' || turn.queue.length > 0 || turn.resumable === true,
    preview: turn.previewCompaction,
    compact: turn.compact,
    undo: turn.undoCompaction,
  }))
  return {
    isBusy,
    preview,
    compact: useCallback(() => {
      announce('Summarising earlier messages')
      compact().then(({ hidden }) => {
        if (hidden > 0) announce('Earlier messages are summarised')
      }, tell)
    }, [compact]),
    undo: useCallback(() => {
      undo().then(() => announce('The earlier messages are back'), tell)
    }, [undo]),
  }
}

function tell(error: unknown): void {
  if (error === STOPPED_BY_USER) return
  const why = error instanceof Error ? error.message : 'The model gave no usable summary.'
  toasts.add({ title: `The conversation stays as it was. ${why}` })
}
