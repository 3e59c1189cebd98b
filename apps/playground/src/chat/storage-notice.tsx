import { useSessions } from '@turnloop/react'
import { type ReactElement, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useData, usePlayground } from '../app/playground-context.ts'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'
import { saveSession } from '../sessions/export-sessions.ts'
import { openSettings } from '../settings/open-settings.ts'
import { Notice } from './notice.tsx'
import { type StorageOffer, type StorageText, storageWords } from './storage-words.ts'

/** Says when the conversation is not being kept, why, and what can be done. Nothing is shown while it is. */
export function StorageNotice(): ReactElement | null {
  const storage = useTurn((turn) => turn.storage)
  const [dismissed, setDismissed] = useState<string>()
  useSaveWhenRoom(storage.state === 'full')
  useToldWhenSaved(storage.state)
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
  const deeds: Readonly<Record<StorageOffer, { label: string; run: () => unknown }>> = {
    'make-room': { label: 'Make room', run: () => openSettings('storage') },
    'try-again': { label: 'Try again', run: flush },
    export: { label: 'Save as a file', run: () => saveSession(exportSession()) },
    reload: { label: 'Reload', run: () => location.reload() },
  }
  return offers.map((offer, index) => (
    <Button key={offer} size="small" look={index === 0 ? 'plain' : 'quiet'} onClick={() => void deeds[offer].run()}>
      {deeds[offer].label}
    </Button>
  ))
}

/** Where there is no room, what waits is tried again whenever something was deleted. */
function useSaveWhenRoom(isFull: boolean): void {
  const { store } = usePlayground()
  const { sessions } = useSessions(store)
  const { tables } = useData()
  const flush = useTurn((turn) => turn.flush)
  const kept = sessions.length + tables.length
  const save = useEffectEvent(() => isFull && flush())
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is kept has changed
  useEffect(() => {
    void save()
  }, [kept])
}

/** Says so when what was not saved is. */
function useToldWhenSaved(state: string): void {
  const last = useRef(state)
  useEffect(() => {
    const before = last.current
    last.current = state
    if (state === 'ready' && before !== 'ready' && before !== 'memory')
      toasts.add({ title: 'Everything is saved again.' })
  }, [state])
}
