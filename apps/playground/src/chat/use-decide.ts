import { isTurnloopError } from '@turnloop/core'
import { useState } from 'react'
import { announce } from '../app/announcer.tsx'
import { offerComposer } from '../app/composer-focus.ts'
import { toasts } from '../app/toasts.tsx'

/** Send a decision once: `isSent` until it has failed. What was decided is told, and one can write on. */
export function useDecide(): { isSent: boolean; decide(deed: () => Promise<void>, told: string): void } {
  const [isSent, setSent] = useState(false)
  const decide = (deed: () => Promise<void>, told: string): void => {
    if (isSent) return
    setSent(true)
    deed().then(
      () => {
        announce(told)
        offerComposer()
      },
      (error: unknown) => {
        setSent(false)
        toasts.add({ title: failureWords(error) })
      },
    )
  }
  return { isSent, decide }
}

function failureWords(error: unknown): string {
  if (isTurnloopError(error) && error.code === 'bad-input')
    return 'This has been decided already, perhaps in another tab.'
  return error instanceof Error ? error.message : 'That could not be stored.'
}
