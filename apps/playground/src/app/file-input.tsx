import type { ComponentProps, ReactElement } from 'react'

interface FileInputProps extends Pick<ComponentProps<'input'>, 'ref' | 'accept' | 'multiple'> {
  /** Its name, for whoever does not come to it by a button. */
  label: string
  onFiles(files: readonly File[]): void
}

/** The browser's dialog for files, which a click on this opens: it is not to be seen, and a button of the page clicks it. */
export function FileInput({ label, onFiles, ...rest }: FileInputProps): ReactElement {
  return (
    <input
      {...rest}
      type="file"
      hidden
      aria-label={label}
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])])
        // So that the same file can be picked again.
        target.value = ''
      }}
    />
  )
}
