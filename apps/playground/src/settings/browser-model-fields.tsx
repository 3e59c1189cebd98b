import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { useObservable } from '../app/observable.ts'
import { browserModelDownload } from './browser-model-state.ts'
import styles from './form.module.css'
import { ProgressLine } from './progress-line.tsx'

/** How far the browser's own model is, and the click that has it fetched. */
export function BrowserModelFields(): ReactElement {
  const state = useObservable(browserModelDownload.state)
  switch (state.kind) {
    case 'checking':
      return <p className={styles.state}>Asking the browser…</p>
    case 'unavailable':
      return <p className={styles.state}>{state.reason} Choose another model.</p>
    case 'available':
      return <p className={styles.state}>Ready. It answers on this device, also offline.</p>
    case 'downloading':
      return <ProgressLine label="The browser fetches its model" share={state.share} />
    case 'downloadable':
    case 'failed':
      return (
        <div className={styles.field}>
          <p className={styles.state}>
            {state.kind === 'failed'
              ? state.reason
              : 'The browser has to fetch its model once. That may be some gigabytes.'}
          </p>
          <div className={styles.actions}>
            <Button onClick={() => void browserModelDownload.download()}>
              {state.kind === 'failed' ? 'Try again' : 'Fetch the model'}
            </Button>
          </div>
        </div>
      )
  }
}
