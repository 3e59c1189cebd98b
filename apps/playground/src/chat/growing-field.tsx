import type { ComponentProps, ReactElement } from 'react'
import styles from './writing.module.css'

interface GrowingFieldProps extends ComponentProps<'textarea'> {
  value: string
  /** After so many lines it scrolls. */
  mostLines: number
}

/** A field that grows with what is written in it. A mirror of the text gives it its height: nothing is measured. */
export function GrowingField({ mostLines, ...field }: GrowingFieldProps): ReactElement {
  return (
    // The pixels are the padding around the lines.
    <div className={styles.grow} style={{ maxHeight: `calc(${mostLines}lh + 20px)` }} data-text={`${field.value}\n`}>
      <textarea {...field} className={styles.text} rows={1} />
    </div>
  )
}
