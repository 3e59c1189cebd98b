import { messageText } from '@turnloop/core'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { offerComposer } from '../app/composer-focus.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { useTurn } from '../app/use-turn.ts'
import { SAMPLES, type SampleId } from '../data/tables.ts'
import { NO_TABLES } from '../model/write-other.ts'
import { Notice } from './notice.tsx'

/** The way on where an answer says that there is no data: a data set, and the question once more. */
export function NoDataNotice(): ReactElement | null {
  const { tables, loading } = useData()
  const { library } = usePlayground()
  const isTold = useTurn(({ status, messages }) => {
    const last = messages.at(-1)
    return status === 'idle' && last?.role === 'assistant' && messageText(last) === NO_TABLES
  })
  const regenerate = useTurn((turn) => turn.regenerate)
  const [isBusy, setBusy] = useState(false)
  const begin = async (id: SampleId): Promise<void> => {
    setBusy(true)
    try {
      await library.addSample(id)
      // The button that was pressed is gone in a moment.
      offerComposer()
      await regenerate()
    } catch {
      // What went wrong with the data is said here, and what with the turn under it.
    } finally {
      setBusy(false)
    }
  }
  if (!isTold || tables.length > 0 || loading) return null
  return (
    <Notice tone="info">
      <span>Answer it from</span>
      {SAMPLES.map(({ id, label, description }) => (
        <Button key={id} size="small" title={description} disabled={isBusy} onClick={() => begin(id)}>
          {label}
        </Button>
      ))}
    </Notice>
  )
}
