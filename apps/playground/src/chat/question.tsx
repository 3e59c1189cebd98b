import type { UserMessage } from '@turnloop/core'
import Eraser from 'lucide-react/icons/eraser'
import Pencil from 'lucide-react/icons/pencil'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import { type ReactElement, useState } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import { splitInput } from '../attachments/attached-parts.ts'
import { isErased } from './erased.ts'
import { FileTiles } from './file-tile.tsx'
import { messageAnchor } from './places.ts'
import styles from './question.module.css'
import { QuestionEditor } from './question-editor.tsx'
import { useIsUnderWay } from './use-travel.ts'
import { VersionSwitch } from './version-switch.tsx'
import type { Versions } from './versions.ts'

interface QuestionProps {
  message: UserMessage
  versions: Versions | undefined
}

/** What a person asked, which can be changed and asked anew; or the place of one that was held back, or erased. */
export function Question({ message, versions }: QuestionProps): ReactElement {
  const [isEditing, setEditing] = useState(false)
  const anchor = messageAnchor(message.id)
  if (isHeldBack(message)) {
    return (
      <p className={`${styles.bubble} ${styles.heldBack}`} id={anchor}>
        <ShieldAlert size={15} aria-hidden="true" />
        Held back
      </p>
    )
  }
  if (isErased(message)) {
    return (
      <p className={`${styles.bubble} ${styles.erased}`} id={anchor}>
        <Eraser size={15} aria-hidden="true" />
        Question erased
      </p>
    )
  }
  if (isEditing) {
    return <QuestionEditor message={message} onDone={() => setEditing(false)} />
  }
  const { text, files } = splitInput(message.content)
  return (
    <div className={styles.question}>
      <EditButton onEdit={() => setEditing(true)} />
      <div className={styles.asked} id={anchor}>
        <FileTiles parts={files} />
        {text !== '' && <p className={styles.bubble}>{text}</p>}
      </div>
      {versions && <VersionSwitch versions={versions} />}
    </div>
  )
}

/** Whether a check held a question back, so that only its place is left. */
export function isHeldBack({ synthetic }: UserMessage): boolean {
  return synthetic === 'blocked'
}

function EditButton({ onEdit }: { onEdit: () => void }): ReactElement {
  const isUnderWay = useIsUnderWay()
  return (
    <IconButton label="Edit question" className={styles.edit} disabled={isUnderWay} onClick={onEdit}>
      <Pencil size={14} aria-hidden="true" />
    </IconButton>
  )
}
