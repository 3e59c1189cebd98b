import Paperclip from 'lucide-react/icons/paperclip'
import { type ReactElement, useRef } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import { useAddFiles } from './use-add-files.ts'

/** The kinds of files that can be tables, for the file dialog. */
export const TABLE_FILES =
  '.csv,.tsv,.tab,.txt,.json,.jsonl,.ndjson,text/csv,text/tab-separated-values,application/json'

/** Picks files to ask about. */
export function AddFileButton(): ReactElement {
  const addFiles = useAddFiles()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton label="Add a CSV, TSV or JSON file" onClick={() => input.current?.click()}>
        <Paperclip size={17} aria-hidden="true" />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={TABLE_FILES}
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
