import { type ReactElement, useId, useState } from 'react'
import { Fold } from './fold.tsx'
import styles from './reasoning.module.css'

/** What the model thought, folded to one line. */
export function Reasoning({ text, isGrowing }: { text: string; isGrowing: boolean }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const textId = useId()
  return (
    <div>
      <Fold isOpen={isOpen} controls={textId} onToggle={() => setOpen(!isOpen)}>
        {isGrowing ? 'Thinking' : 'Thought'}
      </Fold>
      <p id={textId} className={styles.text} hidden={!isOpen}>
        {isOpen && text}
      </p>
    </div>
  )
}
