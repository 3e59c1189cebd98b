import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { useTurn } from '../app/use-turn.ts'

/** Asks the model once more with the transcript as it is. */
export function AskAgain({ label }: { label: string }): ReactElement {
  const retry = useTurn((turn) => turn.retry)
  return (
    <Button size="small" onClick={() => retry().catch(alreadyShown)}>
      {label}
    </Button>
  )
}

// How the turn ends is shown in its place in the conversation.
function alreadyShown(): void {}
