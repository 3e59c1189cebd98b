import { type DragEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../app/button.tsx'
import { FileInput } from '../app/file-input.tsx'
import { useObservable } from '../app/observable.ts'
import { toasts } from '../app/toasts.tsx'
import { fileModel, findEarlierFile, openFileModel } from './file-model.ts'
import styles from './file-model-fields.module.css'
import { FileModelState } from './file-model-state.tsx'
import form from './form.module.css'
import { modelChoice, setModelChoice } from './model-choice.ts'
import { canPickHandles, droppedFile, type PickedFile, pickFile } from './pick-file.ts'

/** Room for conversation and answer, in tokens. */
const ROOMS = [4096, 8192, 16_384, 32_768] as const

/** Which file the model comes from, how it stands, and how much room it gets. */
export function FileModelFields(): ReactElement {
  const { fileContextTokens } = useObservable(modelChoice)
  const roomId = useId()
  useEffect(() => void findEarlierFile(), [])
  return (
    <div className={form.fields}>
      <FileField>
        <FileModelState />
      </FileField>
      <div className={form.field}>
        <label htmlFor={roomId}>Room for the conversation</label>
        <select
          id={roomId}
          className={form.input}
          value={fileContextTokens}
          aria-describedby={`${roomId}-hint`}
          onChange={(event) => {
            setModelChoice({ fileContextTokens: Number(event.target.value) })
            void fileModel.restart()
          }}
        >
          {ROOMS.map((tokens) => (
            <option key={tokens} value={tokens}>
              {tokens.toLocaleString('en')} tokens
            </option>
          ))}
        </select>
        <p id={`${roomId}-hint`} className={form.hint}>
          More room takes more memory. The model is started anew with it.
        </p>
      </div>
    </div>
  )
}

/** Takes one file, by a dialog or dropped on it. */
function FileField({ children }: { children: ReactNode }): ReactElement {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const choose = (): void => {
    if (canPickHandles()) take(pickFile())
    else input.current?.click()
  }
  return (
    <div className={styles.drop} data-over={isOver || undefined} {...dropping(setOver)}>
      {children}
      <Button onClick={choose}>Choose a GGUF file…</Button>
      <p className={form.hint}>
        Or drop it here. It is read in this page and goes nowhere. The engine (10 MB) is fetched with the first file.
      </p>
      <FileInput
        ref={input}
        accept=".gguf"
        label="File with a language model"
        onFiles={([file]) => take(Promise.resolve(file && { file }))}
      />
    </div>
  )
}

/** Keeps the file from the page around, which would take it for a table. */
function dropping(setOver: (isOver: boolean) => void) {
  const over = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault()
    event.stopPropagation()
    setOver(isOver)
  }
  return {
    onDragEnter: over(true),
    onDragOver: over(true),
    onDragLeave: over(false),
    onDrop: (event: DragEvent) => {
      over(false)(event)
      take(droppedFile(event.dataTransfer))
    },
  }
}

function take(picking: Promise<PickedFile | undefined>): void {
  picking
    .then((picked) => picked && openFileModel(picked))
    .catch((error: unknown) =>
      toasts.add({ title: error instanceof Error ? error.message : 'The file cannot be read.' }),
    )
}
