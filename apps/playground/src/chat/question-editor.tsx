import type { UserMessage } from '@turnloop/core'
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../app/button.tsx'
import { offerComposer } from '../app/composer-focus.ts'
import { joinInput, splitInput } from '../attachments/attached-parts.ts'
import { FileTiles } from './file-tile.tsx'
import { GrowingField } from './growing-field.tsx'
import styles from './question.module.css'
import { useAskInstead } from './use-ask.ts'
import { useIsUnderWay } from './use-travel.ts'
import writing from './writing.module.css'

interface QuestionEditorProps {
  message: UserMessage
  onDone(): void
}

/** A question as it can be changed. Sent, it takes the place of what was asked; what came after is set aside. */
export function QuestionEditor({ message, onDone }: QuestionEditorProps): ReactElement {
  const { text: before, files } = splitInput(message.content)
  const [text, setText] = useState(before)
  const isUnderWay = useIsUnderWay()
  const { edit } = useAskInstead()
  const hintId = useId()
  const isEmpty = text.trim() === '' && files.length === 0
  const canSend = !isUnderWay && !isEmpty && text.trim() !== before.trim()
  const send = (): void => {
    if (!canSend) return
    // Files stay with the question.
    edit(message.id, joinInput({ text: text.trim(), files }))
    onDone()
    offerComposer()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isSend = event.key === 'Enter' && !event.shiftKey
    if (!isSend && event.key !== 'Escape') return
    event.preventDefault()
    if (isSend) send()
    else onDone()
  }
  return (
    <form
      className={writing.box}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {files.length > 0 && (
        <div className={styles.kept}>
          <FileTiles parts={files} />
        </div>
      )}
      <GrowingField
        mostLines={12}
        value={text}
        aria-label="Edited question"
        aria-describedby={hintId}
        // The reader has just asked to edit this text.
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <EditorRow hintId={hintId} canSend={canSend} onCancel={onDone} />
    </form>
  )
}

function EditorRow(props: { hintId: string; canSend: boolean; onCancel: () => void }): ReactElement {
  const { hintId, canSend, onCancel } = props
  return (
    <div className={styles.row}>
      <span id={hintId} className={styles.hint}>
        The answer, and what follows it, is set aside. You can go back to it.
      </span>
      <span className={styles.actions}>
        <Button size="small" look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" size="small" look="primary" disabled={!canSend}>
          Ask again
        </Button>
      </span>
    </div>
  )
}
