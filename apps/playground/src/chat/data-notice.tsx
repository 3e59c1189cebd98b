import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { formatCount, plural } from '../app/format.ts'
import { useObservable } from '../app/observable.ts'
import { useData } from '../app/playground-context.ts'
import { lastAdded } from './last-added.ts'
import { Notice } from './notice.tsx'
import { useAsk } from './use-ask.ts'

/** What is happening to the data: a file being read, one that could not be, or one that is ready to be asked about. */
export function DataNotice(): ReactElement | null {
  const { loading, error } = useData()
  const added = useObservable(lastAdded)
  const [dismissed, setDismissed] = useState<string>()
  const ask = useAsk()
  if (loading) {
    return (
      <Notice tone="busy">
        Reading {loading.label}…{loading.readRows !== undefined && ` ${plural(loading.readRows, 'row')} so far`}
      </Notice>
    )
  }
  if (error !== undefined && error !== dismissed) {
    return (
      <Notice tone="bad" onDismiss={() => setDismissed(error)}>
        {error}
      </Notice>
    )
  }
  if (added === undefined) return null
  return (
    <Notice tone="good" onDismiss={() => lastAdded.set(undefined)}>
      <span>
        <strong>{added.label}</strong> is ready: {formatCount(added.rowCount)} rows,{' '}
        {plural(added.columns.length, 'column')}.
      </span>
      <Button
        size="small"
        onClick={() => {
          lastAdded.set(undefined)
          ask(`Describe ${added.label}`)
        }}
      >
        Describe it
      </Button>
    </Notice>
  )
}
