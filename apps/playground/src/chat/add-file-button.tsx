import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactElement, useRef } from 'react'
import { FileInput } from '../app/file-input.tsx'
import { IconButton } from '../app/icon-button.tsx'
import { ALL_FILES } from '../attachments/file-kinds.ts'
import { useAddFiles } from './use-add-files.ts'

/** Picks files to ask about: tables, and what goes with the question. */
export function AddFileButton(): ReactElement {
  const addFiles = useAddFiles()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label="Add files" onClick={() => input.current?.click()}>
        <Paperclip size={17} aria-hidden="true" />
      </IconButton>
      <FileInput ref={input} multiple accept={ALL_FILES} label="Files to ask about" onFiles={addFiles} />
    </>
  )
}
