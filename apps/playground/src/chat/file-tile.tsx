import { Dialog } from '@base-ui/react/dialog'
import type { FilePart, UserPart } from '@turnloop/core'
import File from 'lucide-react/icons/file'
import FileText from 'lucide-react/icons/file-text'
import ImageOff from 'lucide-react/icons/image-off'
import type { ReactElement } from 'react'
import { type AttachedFile, attachedFile } from '../attachments/attached-parts.ts'
import styles from './file-tile.module.css'
import { FileViewer } from './file-viewer.tsx'
import { useFileUrl } from './use-file-url.ts'

/** A file that is attached: an image small, all others by name. Opens larger. */
export function FileTile({ part }: { part: UserPart }): ReactElement {
  const file = attachedFile(part)
  const isImage = part.type === 'file' && file.kind === 'image'
  return (
    <Dialog.Root>
      <Dialog.Trigger
        className={isImage ? styles.picture : styles.card}
        aria-label={isImage ? `Open ${file.name}, ${file.detail}` : undefined}
        title={file.name}
      >
        {isImage ? <Thumbnail part={part} /> : <Card file={file} />}
      </Dialog.Trigger>
      <FileViewer part={part} file={file} />
    </Dialog.Root>
  )
}

/** The tiles of a question, in the order in which they were attached. */
export function FileTiles({ parts }: { parts: readonly UserPart[] }): ReactElement | null {
  if (parts.length === 0) return null
  return (
    <ul className={styles.tiles} aria-label="Attached files">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was sent never changes
        <li key={index}>
          <FileTile part={part} />
        </li>
      ))}
    </ul>
  )
}

function Thumbnail({ part }: { part: FilePart }): ReactElement | null {
  const file = useFileUrl(part)
  if (file.state === 'gone') return <ImageOff size={18} aria-hidden="true" />
  return file.state === 'ready' ? <img src={file.url} alt="" decoding="async" draggable={false} /> : null
}

function Card({ file }: { file: AttachedFile }): ReactElement {
  const Icon = file.kind === 'text' ? FileText : File
  return (
    <>
      <Icon className={styles.icon} size={18} aria-hidden="true" />
      <span className="unseen">Open </span>
      <FileWords name={file.name} detail={file.detail} />
    </>
  )
}

/** The name of a file, and under it what there is to say about it. */
export function FileWords({ name, detail }: { name: string; detail: string }): ReactElement {
  return (
    <span className={styles.words}>
      <span className={styles.name}>{name}</span>
      <span className={styles.detail}>{detail}</span>
    </span>
  )
}
