import type { ToolResult } from '@turnloop/core'
import type { ReactElement } from 'react'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { CopyButton } from './copy-button.tsx'
import { readCodeAnswer } from './tool-answers.ts'
import styles from './tool-detail.module.css'

/** Code as it ran, with its line breaks. */
export function CodeArgument({ code }: { code: string }): ReactElement {
  return <Part name="Code" text={code} />
}

/** What code came to: its value, and what it wrote to the console. Nothing where the result is in no form of ours. */
export function CodeResult({ result }: { result: ToolResult }): ReactElement | null {
  const answer = readCodeAnswer(result)
  if (answer === undefined) return null
  const { value, console, note } = answer
  return (
    <>
      <Part name="Value" text={note ?? (typeof value === 'string' ? value : JSON.stringify(value, null, 2))} />
      {console !== undefined && <Part name="Console" text={console} />}
    </>
  )
}

function Part({ name, text }: { name: string; text: string }): ReactElement {
  return (
    <section>
      <header className={styles.head}>
        <h3>{name}</h3>
        <CopyButton label={`Copy ${name.toLowerCase()}`} text={() => text} />
      </header>
      <ScrollRegion name={name} className={styles.text}>
        {text}
      </ScrollRegion>
    </section>
  )
}
