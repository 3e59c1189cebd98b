import { type StorageStatus, shallowEqual } from '@turnloop/core'
import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { plural } from '../app/format.ts'
import { useTurn } from '../app/use-turn.ts'
import { openSettings } from '../settings/open-settings.ts'
import { Notice } from './notice.tsx'

/** Says when the conversation is not being kept, and why. Nothing is shown while it is. */
export function StorageNotice(): ReactElement | null {
  const storage = useTurn((turn) => turn.storage, shallowEqual)
  const words = storageWords(storage)
  if (words === undefined) return null
  return (
    <Notice tone="warn">
      <span>{words}</span>
      {storage.state === 'full' && (
        <Button size="small" onClick={() => openSettings('storage')}>
          Make room
        </Button>
      )}
      {storage.state === 'lost' && (
        <Button size="small" onClick={() => location.reload()}>
          Reload
        </Button>
      )}
    </Notice>
  )
}

/** What a storage state means for the conversation, for people; `undefined` when all is well. */
export function storageWords({ state, waiting, message }: StorageStatus): string | undefined {
  switch (state) {
    case 'ready':
      return undefined
    case 'memory':
      return 'This conversation is kept only until the page is closed.'
    case 'degraded':
      return `Saving is delayed: ${plural(waiting, 'entry', 'entries')} wait in memory and are tried again.`
    case 'full':
      return 'The browser has no room left: what comes now is kept only until the page is closed.'
    case 'blocked':
      return `${message ?? 'The browser does not let this page save.'} What comes now is kept only until the page is closed.`
    case 'lost':
      return message ?? 'Another tab has taken over this conversation. Reload to see where it stands.'
  }
}
