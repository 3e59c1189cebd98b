import type { ReactElement } from 'react'
import { useObservable } from '../app/observable.ts'
import { Notice } from '../chat/notice.tsx'
import { importTrouble } from './import-sessions.ts'

/** Says why a file could not be imported, until it is dismissed. */
export function ImportNotice(): ReactElement | null {
  const trouble = useObservable(importTrouble)
  if (trouble === undefined) return null
  return (
    <Notice tone="bad" onDismiss={() => importTrouble.set(undefined)}>
      {trouble}
    </Notice>
  )
}
