import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactElement, useRef } from 'react'
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
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={ALL_FILES}
        aria-label="Files to ask about"
        onChange={(event) => {
          addFiles([...(event.target.files ?? [])])
          // So that the same file can be picked again.
          event.target.value = ''
        }}
      />
    </>
  )
}
