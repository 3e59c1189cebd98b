import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactElement, useId, useState } from 'react'
import styles from './reasoning.module.css'

/** What the model thought, folded to one line. */
export function Reasoning({ text, isGrowing }: { text: string; isGrowing: boolean }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const textId = useId()
  return (
    <div>
      <button
        type="button"
        className={styles.line}
        aria-expanded={isOpen}
        aria-controls={textId}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight className={styles.chevron} size={14} aria-hidden="true" />
        {isGrowing ? 'Thinking' : 'Thought'}
      </button>
      <p id={textId} className={styles.text} hidden={!isOpen}>
        {isOpen && text}
      </p>
    </div>
  )
}
