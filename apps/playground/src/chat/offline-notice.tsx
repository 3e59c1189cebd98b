import { type ReactElement, useSyncExternalStore } from 'react'
import { Button } from '../app/button.tsx'
import { useObservable } from '../app/observable.ts'
import { modelChoice } from '../settings/model-choice.ts'
import { isOnThisDevice, modelTitle } from '../settings/model-kinds.ts'
import { openSettings } from '../settings/open-settings.ts'
import { Notice } from './notice.tsx'

/** Says that the chosen model needs the network, while there is none. */
export function OfflineNotice(): ReactElement | null {
  const choice = useObservable(modelChoice)
  const isOnline = useIsOnline()
  if (isOnline || isOnThisDevice(choice)) return null
  return (
    <Notice tone="warn">
      <span>
        You are offline, and {modelTitle(choice).name} is not on this device. The practice model works without a
        network.
      </span>
      <Button size="small" onClick={() => openSettings('model')}>
        Choose a model
      </Button>
    </Notice>
  )
}

/** Whether the browser believes that it has a network. */
function useIsOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine)
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange)
  window.addEventListener('offline', onChange)
  return () => {
    window.removeEventListener('online', onChange)
    window.removeEventListener('offline', onChange)
  }
}
