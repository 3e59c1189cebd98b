import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import type { ReactElement } from 'react'
import { useObservable } from '../app/observable.ts'
import { openSheet } from '../app/panes.ts'
import { fileModel } from '../settings/file-model.ts'
import { modelChoice } from '../settings/model-choice.ts'
import { modelTitle } from '../settings/model-kinds.ts'
import { openSettings } from '../settings/open-settings.ts'
import styles from './model-section.module.css'

/** Who answers; leads to the settings. */
export function ModelSection(): ReactElement {
  const choice = useObservable(modelChoice)
  const file = useObservable(fileModel.state)
  const { name, detail } = modelTitle(choice, file.kind === 'ready' ? file.title : undefined)
  return (
    <section className={styles.section} aria-label="Model">
      <button
        type="button"
        className={styles.button}
        onClick={() => {
          openSheet.set(undefined)
          openSettings('model')
        }}
      >
        <span className={styles.words}>
          <span className={styles.name}>{name}</span>
          <span className={styles.detail}>{detail}</span>
          <span className="unseen">Settings</span>
        </span>
        <SlidersHorizontal size={16} aria-hidden="true" />
      </button>
    </section>
  )
}
