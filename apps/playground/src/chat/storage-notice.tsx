import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useTurn } from '../app/use-turn.ts'
import { saveSession } from '../sessions/export-sessions.ts'
import { openSettings } from '../settings/open-settings.ts'
import { Notice } from './notice.tsx'
import { type StorageOffer, type StorageText, storageWords } from './storage-words.ts'

/** Says when the conversation is not being kept, why, and what can be done. Nothing is shown while it is. */
export function StorageNotice(): ReactElement | null {
  const storage = useTurn((turn) => turn.storage)
  const [dismissed, setDismissed] = useState<string>()
  const words = storageWords(storage)
  if (words === undefined || words.text === dismissed) return null
  return (
    <Notice
      tone={words.tone === 'quiet' ? 'info' : 'warn'}
      onDismiss={words.tone === 'quiet' ? () => setDismissed(words.text) : undefined}
    >
      <span>{words.text}</span>
      <Offers offers={words.offers} />
    </Notice>
  )
}

function Offers({ offers }: Pick<StorageText, 'offers'>): ReactElement[] {
  const { flush, exportSession } = useTurn((turn) => ({ flush: turn.flush, exportSession: turn.export }))
  const [isTrying, setTrying] = useState(false)
  const tryAgain = async (): Promise<void> => {
    setTrying(true)
    await flush()
    setTrying(false)
  }
  const deeds: Readonly<Record<StorageOffer, { label: string; run: () => unknown }>> = {
    'make-room': { label: 'Make room', run: () => openSettings('storage') },
    'try-again': { label: isTrying ? 'Trying…' : 'Try again', run: tryAgain },
    export: { label: 'Save as a file', run: () => saveSession(exportSession()) },
    reload: { label: 'Reload', run: () => location.reload() },
  }
  return offers.map((offer, index) => (
    <Button key={offer} size="small" look={index === 0 ? 'plain' : 'quiet'} onClick={() => void deeds[offer].run()}>
      {deeds[offer].label}
    </Button>
  ))
}
