import { type ReactElement, useId } from 'react'
import styles from './progress-line.module.css'

interface ProgressLineProps {
  label: string
  /** From 0 to 1; `undefined` while it is not known. */
  share?: number | undefined
}

/** How far something is, in words and as a bar. */
export function ProgressLine({ label, share }: ProgressLineProps): ReactElement {
  const id = useId()
  return (
    <div className={styles.line}>
      <span id={id} className={styles.words}>
        {label}
        <span className={styles.figure}>{share === undefined ? '…' : `${Math.floor(share * 100)} %`}</span>
      </span>
      <progress className={styles.bar} aria-labelledby={id} max={1} {...(share !== undefined && { value: share })} />
    </div>
  )
}
