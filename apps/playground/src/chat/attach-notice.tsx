import type { ReactElement } from 'react'
import { useObservable } from '../app/observable.ts'
import { attachTroubles, dismissTroubles } from './attach-files.ts'
import { Notice } from './notice.tsx'

/** Which files could not be attached, and what fits instead. */
export function AttachNotice({ sessionId }: { sessionId: string }): ReactElement | null {
  const troubles = useObservable(attachTroubles).get(sessionId)
  if (troubles === undefined) return null
  return (
    <Notice tone="bad" onDismiss={() => dismissTroubles(sessionId)}>
      {troubles.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </Notice>
  )
}
