import Loader from 'lucide-react/icons/loader'
import X from 'lucide-react/icons/x'
import { type ReactElement, useRef } from 'react'
import { announce } from '../app/announcer.tsx'
import { focusComposer } from '../app/composer-focus.ts'
import { IconButton } from '../app/icon-button.tsx'
import { detachFile } from './attach-files.ts'
import type { DraftFile } from './drafts.ts'
import styles from './file-tile.module.css'
import { FileTile, FileWords } from './file-tile.tsx'

/** What will go with the question that is being written. Each can be looked at and taken out. */
export function DraftFiles(props: { sessionId: string; files: readonly DraftFile[] }): ReactElement | null {
  const { sessionId, files } = props
  const list = useRef<HTMLUListElement>(null)
  if (files.length === 0) return null
  const remove = ({ id, name }: DraftFile): void => {
    // The button that was pressed goes with its file.
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>('[data-remove]') ?? [])]
    const at = files.findIndex((file) => file.id === id)
    const next = buttons[at + 1] ?? buttons[at - 1]
    if (next === undefined) focusComposer()
    else next.focus()
    detachFile(sessionId, id)
    announce(`${name} taken out`)
  }
  return (
    <ul className={`${styles.tiles} ${styles.draft}`} aria-label="Files for this question" ref={list}>
      {files.map((file) => (
        <li key={file.id}>
          {file.part === undefined ? <ReadingCard file={file} /> : <FileTile part={file.part} />}
          <IconButton
            label={`Remove ${file.name}`}
            className={styles.remove}
            data-remove=""
            onClick={() => remove(file)}
          >
            <X size={12} aria-hidden="true" />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

function ReadingCard({ file: { name, progress } }: { file: DraftFile }): ReactElement {
  return (
    <div className={styles.card}>
      <Loader className={styles.busy} size={18} aria-hidden="true" />
      <FileWords name={name} detail={progress === undefined ? 'Reading…' : `${progress}…`} />
    </div>
  )
}
