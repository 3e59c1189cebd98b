import FileUp from 'lucide-react/icons/file-up'
import { type ReactElement, useEffect, useState } from 'react'
import styles from './drop-zone.module.css'
import { useAddFiles } from './use-add-files.ts'

/** Files dropped anywhere on the page are taken in; while one is dragged over it, the page says so. */
export function DropZone(): ReactElement | null {
  const addFiles = useAddFiles()
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    // Entering a child leaves its parent, so only the difference tells whether the pointer has left the page.
    let depth = 0
    const track = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      if (event.type === 'dragenter') depth += 1
      if (event.type === 'dragleave') depth -= 1
      if (event.type === 'drop') {
        depth = 0
        addFiles([...(event.dataTransfer?.files ?? [])])
      }
      setOver(depth > 0)
    }
    const kinds = ['dragenter', 'dragover', 'dragleave', 'drop'] as const
    for (const kind of kinds) window.addEventListener(kind, track)
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, track)
    }
  }, [addFiles])
  if (!isOver) return null
  return (
    <div className={styles.zone}>
      <FileUp size={24} strokeWidth={1.5} aria-hidden="true" />
      <p>Drop to ask about it</p>
      <p className={styles.kinds}>
        CSV, TSV and JSON become tables in this browser. Images, PDF and text files go with your question.
      </p>
    </div>
  )
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}
