import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactElement } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import styles from './question.module.css'
import { useIsUnderWay, useTravel } from './use-travel.ts'
import type { Versions } from './versions.ts'

/** Which of several questions that were put in the same place is shown, and the way to the others and their answers. */
export function VersionSwitch({ versions }: { versions: Versions }): ReactElement {
  const { number, count, earlier, later } = versions
  const isUnderWay = useIsUnderWay()
  const { goTo } = useTravel()
  const step = (to: number | undefined, shown: number): void => {
    if (to !== undefined) goTo(to, `Version ${shown} of ${count}`)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form
    <div className={styles.versions} role="group" aria-label="Versions of this question">
      <IconButton
        label="Earlier version"
        className={styles.step}
        disabled={isUnderWay || earlier === undefined}
        onClick={() => step(earlier, number - 1)}
      >
        <ChevronLeft size={14} aria-hidden="true" />
      </IconButton>
      <span>
        {number} / {count}
      </span>
      <IconButton
        label="Later version"
        className={styles.step}
        disabled={isUnderWay || later === undefined}
        onClick={() => step(later, number + 1)}
      >
        <ChevronRight size={14} aria-hidden="true" />
      </IconButton>
    </div>
  )
}
