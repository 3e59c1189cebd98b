import Plus from 'lucide-react/icons/plus'
import type { ReactElement } from 'react'
import { offerComposer } from '../app/composer-focus.ts'
import { openSheet } from '../app/panes.ts'
import { goToNewSession } from '../app/route.ts'
import { DataSection } from './data-section.tsx'
import { ModelSection } from './model-section.tsx'
import { SessionList } from './session-list.tsx'
import styles from './sessions-pane.module.css'

/** The left pane: past conversations, the data, and who answers. */
export function SessionsPane(): ReactElement {
  const startNew = (): void => {
    goToNewSession()
    openSheet.set(undefined)
    offerComposer()
  }
  return (
    <div className={styles.pane}>
      <div className={styles.head}>
        <button type="button" className={styles.new} onClick={startNew}>
          <Plus size={16} aria-hidden="true" />
          New session
        </button>
      </div>
      <SessionList />
      <DataSection />
      <ModelSection />
    </div>
  )
}
