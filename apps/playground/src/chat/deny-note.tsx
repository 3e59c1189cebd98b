import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../app/button.tsx'
import styles from './request-card.module.css'

interface DenyNoteProps {
  isSent: boolean
  onDeny(note: string | undefined): void
  onBack(): void
}

/** Why not, in the words that the model will read. Enter denies, Escape goes back to the choice. */
export function DenyNote({ isSent, onDeny, onBack }: DenyNoteProps): ReactElement {
  const [note, setNote] = useState('')
  const noteId = useId()
  const deny = (): void => onDeny(note.trim() === '' ? undefined : note.trim())
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    // Enter would submit the form, which allows.
    event.preventDefault()
    if (event.key === 'Enter') deny()
    else onBack()
  }
  return (
    <div className={styles.form}>
      <div className={styles.field}>
        <label htmlFor={noteId}>Why not?</label>
        <input
          id={noteId}
          className={styles.input}
          value={note}
          placeholder="The assistant reads this"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the reader has just asked to write this
          autoFocus
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.actions}>
        <Button look="danger" disabled={isSent} onClick={deny}>
          Deny
        </Button>
        <Button look="quiet" disabled={isSent} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  )
}
