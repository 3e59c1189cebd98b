import { Dialog } from '@base-ui/react/dialog'
import { type FormEvent, type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { announce } from '../app/announcer.tsx'
import { Button, buttonClass } from '../app/button.tsx'
import confirm from '../app/confirm.module.css'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'
import styles from './comment-dialog.module.css'

interface CommentDialogProps {
  isOpen: boolean
  onDone(): void
}

/** Where a comment is written. It stands at the end of the conversation, for people: no model sees it. */
export function CommentDialog({ isOpen, onDone }: CommentDialogProps): ReactElement {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(next) => !next && onDone()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={confirm.backdrop} />
        <Dialog.Popup className={confirm.popup}>
          <Dialog.Title className={confirm.title}>Add a comment</Dialog.Title>
          <CommentForm onDone={onDone} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function CommentForm({ onDone }: { onDone: () => void }): ReactElement {
  const [text, setText] = useState('')
  const addNote = useTurn((turn) => turn.addNote)
  const hintId = useId()
  const save = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    if (text.trim() === '') return
    addNote(text.trim()).then(
      () => announce('Comment added'),
      (error: unknown) =>
        toasts.add({ title: error instanceof Error ? error.message : 'The comment could not be kept.' }),
    )
    onDone()
  }
  return (
    <form className={styles.form} onSubmit={save}>
      <textarea
        className={styles.text}
        rows={4}
        value={text}
        aria-label="Comment"
        aria-describedby={hintId}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && save(event)}
      />
      <p id={hintId} className={confirm.words}>
        It is kept with the conversation, in its place. People see it; no model does.
      </p>
      <div className={confirm.actions}>
        <Dialog.Close className={buttonClass()}>Cancel</Dialog.Close>
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          Add
        </Button>
      </div>
    </form>
  )
}
