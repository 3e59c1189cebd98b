import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactElement } from 'react'
import styles from './fold.module.css'

interface FoldProps {
  isOpen: boolean
  /** The id of what it opens. */
  controls: string
  onToggle(): void
  children: string
}

/** The line that something is folded to, which opens it and closes it again. */
export function Fold({ isOpen, controls, onToggle, children }: FoldProps): ReactElement {
  return (
    <button type="button" className={styles.fold} aria-expanded={isOpen} aria-controls={controls} onClick={onToggle}>
      <ChevronRight className={styles.chevron} size={14} aria-hidden="true" />
      {children}
    </button>
  )
}
