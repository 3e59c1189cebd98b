import type { ErrorRecord } from '@turnloop/core'
import CircleAlert from 'lucide-react/icons/circle-alert'
import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { openSettings } from '../settings/open-settings.ts'
import { AskAgain } from './ask-again.tsx'
import styles from './error-card.module.css'
import { errorWords } from './error-words.ts'

/** Why a turn failed and the way on, in the place where its answer would stand. */
export function ErrorCard({ error, isLast }: { error: ErrorRecord; isLast: boolean }): ReactElement {
  const { title, opensSettings } = errorWords(error)
  return (
    <section className={styles.card} aria-label="Error">
      <CircleAlert className={styles.icon} size={16} aria-hidden="true" />
      <div className={styles.words}>
        <h3>{title}</h3>
        <p className={styles.message}>{error.message}</p>
        {error.cause !== undefined && <p className={styles.cause}>{error.cause}</p>}
        {isLast && (
          <div className={styles.actions}>
            <AskAgain label="Try again" />
            {opensSettings && (
              <Button size="small" look="quiet" onClick={() => openSettings('model')}>
                Model settings
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
