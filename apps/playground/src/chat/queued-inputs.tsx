import type { QueuedInput } from '@turnloop/core'
import Pencil from 'lucide-react/icons/pencil'
import X from 'lucide-react/icons/x'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { IconButton } from '../app/icon-button.tsx'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'
import styles from './queued-inputs.module.css'
import { useAsk } from './use-ask.ts'

/** What waits to be sent, in order. Each can still be changed or taken back. */
export function QueuedInputs(): ReactElement | null {
  const queue = useTurn((turn) => turn.queue)
  if (queue.length === 0) return null
  return (
    <ul className={styles.queue} aria-label="Queued questions">
      {queue.map((input) => (
        <Queued key={input.id} input={input} />
      ))}
    </ul>
  )
}

function Queued({ input }: { input: QueuedInput }): ReactElement {
  const text = textOf(input)
  const [isEditing, setEditing] = useState(false)
  const removeQueued = useTurn((turn) => turn.removeQueued)
  const ask = useAsk()
  // Stop, and a turn that waits for a person, hold the queue: nothing goes out until somebody sends again.
  const isHeld = useTurn((turn) => turn.status === 'idle' || turn.status === 'awaiting')
  const sendNow = async (): Promise<void> => {
    await removeQueued(input.id)
    ask(text)
  }
  if (isEditing) return <QueuedEditor input={input} onDone={() => setEditing(false)} />
  return (
    <li className={styles.chip}>
      <span className={styles.next}>{isHeld ? 'Held' : input.steers === undefined ? 'Next' : 'Joins in'}</span>
      <span className={styles.text}>{text}</span>
      {isHeld && (
        <Button look="quiet" size="small" onClick={() => sendNow().catch(tooLate)}>
          Send now
        </Button>
      )}
      <IconButton label="Change" className={styles.button} onClick={() => setEditing(true)}>
        <Pencil size={13} aria-hidden="true" />
      </IconButton>
      <IconButton label="Take back" className={styles.button} onClick={() => removeQueued(input.id).catch(tooLate)}>
        <X size={14} aria-hidden="true" />
      </IconButton>
    </li>
  )
}

function QueuedEditor({ input, onDone }: { input: QueuedInput; onDone: () => void }): ReactElement {
  const [text, setText] = useState(() => textOf(input))
  const editQueued = useTurn((turn) => turn.editQueued)
  const save = (): void => {
    if (text.trim() !== '') editQueued(input.id, text.trim()).catch(tooLate)
    onDone()
  }
  return (
    <li className={styles.chip}>
      <span className={styles.next}>Next</span>
      <input
        className={styles.editor}
        aria-label="Queued question"
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the reader has just asked to edit this text
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save()
          if (event.key === 'Escape') onDone()
          if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault()
        }}
      />
    </li>
  )
}

function textOf(input: QueuedInput): string {
  return input.content.map((part) => (part.type === 'text' ? part.text : (part.filename ?? 'a file'))).join(' ')
}

function tooLate(): void {
  toasts.add({ title: 'That question is already on its way.' })
}
