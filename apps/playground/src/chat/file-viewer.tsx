import { Dialog } from '@base-ui/react/dialog'
import type { FilePart, UserPart } from '@turnloop/core'
import X from 'lucide-react/icons/x'
import { type ReactElement, useState } from 'react'
import dialog from '../app/dialog.module.css'
import { IconButton } from '../app/icon-button.tsx'
import { ScrollRegion } from '../app/scroll-region.tsx'
import type { AttachedFile } from '../attachments/attached-parts.ts'
import { readTextAttachment } from '../attachments/text-attachment.ts'
import { CopyButton } from './copy-button.tsx'
import styles from './file-viewer.module.css'
import { useFileUrl } from './use-file-url.ts'

/** An attached file at full size, inside the dialog that its tile opens. */
export function FileViewer({ part, file }: { part: UserPart; file: AttachedFile }): ReactElement {
  return (
    <Dialog.Portal>
      <Dialog.Backdrop className={dialog.backdrop} />
      <Dialog.Popup className={styles.popup} data-kind={file.kind}>
        {part.type === 'file' ? <FileView part={part} file={file} /> : <TextView part={part} file={file} />}
      </Dialog.Popup>
    </Dialog.Portal>
  )
}

function FileView({ part, file }: { part: FilePart; file: AttachedFile }): ReactElement {
  const found = useFileUrl(part)
  const [size, setSize] = useState<string>()
  const isImage = file.kind === 'image'
  return (
    <>
      <Head name={file.name} detail={[file.detail, size].filter(Boolean).join(', ')} />
      {found.state === 'ready' && isImage && (
        <img
          className={styles.image}
          src={found.url}
          alt={file.name}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
        />
      )}
      {found.state === 'ready' && !isImage && <p className={styles.none}>This kind of file cannot be shown here.</p>}
      {found.state === 'loading' && <p className={styles.none}>Reading it…</p>}
      {found.state === 'gone' && <p className={styles.none}>This file is no longer stored in this browser.</p>}
    </>
  )
}

function TextView({ part, file }: { part: UserPart; file: AttachedFile }): ReactElement {
  const text = readTextAttachment(part)?.text ?? ''
  return (
    <>
      <Head name={file.name} detail={file.detail}>
        <CopyButton label="Copy text" text={() => text} />
      </Head>
      <ScrollRegion name={`Text of ${file.name}`} className={styles.text}>
        {text}
      </ScrollRegion>
    </>
  )
}

function Head(props: { name: string; detail: string; children?: ReactElement }): ReactElement {
  return (
    <header className={styles.head}>
      <Dialog.Title className={styles.name}>{props.name}</Dialog.Title>
      <Dialog.Description className={styles.detail}>{props.detail}</Dialog.Description>
      {props.children}
      <Dialog.Close render={<IconButton label="Close" keyHint="Esc" />}>
        <X size={17} aria-hidden="true" />
      </Dialog.Close>
    </header>
  )
}
