import type { QueuedInput, UserPart } from '@turnloop/core'
import Paperclip from 'lucide-react/icons/paperclip'
import Pencil from 'lucide-react/icons/pencil'
import X from 'lucide-react/icons/x'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { plural } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import { toasts } from '../app/toasts.tsx'
import { useTurn } from '../app/use-turn.ts'
import { attachedFile, joinInput, splitInput } from '../attachments/attached-parts.ts'
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
  const { text, files } = splitInput(input.content)
  const [isEditing, setEditing] = useState(false)
  const removeQueued = useTurn((turn) => turn.removeQueued)
  const ask = useAsk()
  const isHeld = useIsHeld()
  const sendNow = async (): Promise<void> => {
    await removeQueued(input.id)
    ask(input.content)
  }
  if (isEditing) return <QueuedEditor input={input} onDone={() => setEditing(false)} />
  return (
    <li className={styles.chip}>
      <WhenSent input={input} />
      {text !== '' && <span className={styles.text}>{text}</span>}
      <QueuedFiles files={files} isAlone={text === ''} />
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

/** Stop, and a turn that waits for a person, hold the queue: nothing goes out until somebody sends again. */
function useIsHeld(): boolean {
  return useTurn((turn) => turn.status === 'idle' || turn.status === 'awaiting')
}

function WhenSent({ input }: { input: QueuedInput }): ReactElement {
  const isHeld = useIsHeld()
  return <span className={styles.next}>{isHeld ? 'Held' : input.steers === undefined ? 'Next' : 'Joins in'}</span>
}

function QueuedEditor({ input, onDone }: { input: QueuedInput; onDone: () => void }): ReactElement {
  const { text: before, files } = splitInput(input.content)
  const [text, setText] = useState(before)
  const editQueued = useTurn((turn) => turn.editQueued)
  const save = (): void => {
    const isEmpty = text.trim() === '' && files.length === 0
    // Files stay with the question.
    if (!isEmpty) editQueued(input.id, joinInput({ text: text.trim(), files })).catch(tooLate)
    onDone()
  }
  return (
    <li className={styles.chip}>
      <WhenSent input={input} />
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
      <QueuedFiles files={files} isAlone={false} />
    </li>
  )
}

/** What is attached to a question that waits: names where there is room for them, else how many. */
function QueuedFiles(props: { files: readonly UserPart[]; isAlone: boolean }): ReactElement | null {
  const { files, isAlone } = props
  if (files.length === 0) return null
  const names = files.map((file) => attachedFile(file).name).join(', ')
  return (
    <span className={isAlone ? styles.text : styles.files} title={names}>
      <Paperclip size={13} aria-hidden="true" />
      <span>{isAlone || files.length === 1 ? names : plural(files.length, 'file')}</span>
    </span>
  )
}

function tooLate(): void {
  toasts.add({ title: 'That question is already on its way.' })
}
