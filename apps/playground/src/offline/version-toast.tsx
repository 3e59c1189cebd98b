import { useEffect } from 'react'
import { useObservable } from '../app/observable.ts'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'
import { isTurnRunning, newVersion, showNewVersion } from './page-version.ts'

/** Offers a new version of the page once it is there, and never while an answer is being written. */
export function VersionToast(): null {
  const worker = useObservable(newVersion)
  const isBusy = useTurn(({ status }) => status === 'running' || status === 'cancelling')
  useEffect(() => {
    if (worker === undefined || isBusy) return undefined
    const toastId = toasts.add({
      title: 'A new version is ready.',
      // It stays until it is answered.
      timeout: 0,
      actionProps: { children: 'Reload', onClick: () => void reload(worker) },
    })
    return () => toasts.close(toastId)
  }, [worker, isBusy])
  return null
}

async function reload(worker: ServiceWorker): Promise<void> {
  // In another session, or in another tab.
  if (await isTurnRunning()) toasts.add({ title: 'An answer is still being written. Reload when it is there.' })
  else showNewVersion(worker)
}
