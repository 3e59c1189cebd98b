import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactElement, useState } from 'react'
import { announce } from '../app/announcer.tsx'
import { buttonClass } from '../app/button.tsx'
import styles from '../app/confirm.module.css'
import { toasts } from '../app/toasts.tsx'
import type { EraseWords } from './erased.ts'
import { useErase } from './use-erase.ts'

/** Messages that are about to be taken out, and what is said of that. */
export interface Erasure {
  readonly messageIds: readonly string[]
  readonly words: EraseWords
}

interface EraseDialogProps {
  /** While there is one, it is asked whether it is meant. */
  erasure: Erasure | undefined
  onDone(): void
}

/** Takes messages out for good, once it was asked whether that is meant. */
export function EraseDialog({ erasure, onDone }: EraseDialogProps): ReactElement {
  const erase = useErase()
  // The words stay for the moment in which the dialog fades.
  const [shown, setShown] = useState(erasure)
  if (erasure !== undefined && erasure !== shown) setShown(erasure)
  const eraseAll = async (): Promise<void> => {
    try {
      await erase(erasure?.messageIds ?? [])
      announce('Erased')
    } catch (error) {
      toasts.add({ title: error instanceof Error ? error.message : 'That could not be erased.' })
    }
  }
  return (
    <AlertDialog.Root open={erasure !== undefined} onOpenChange={(isOpen) => !isOpen && onDone()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>{shown?.words.title}</AlertDialog.Title>
          <AlertDialog.Description className={styles.words}>
            {shown?.words.gone} {shown?.words.stays} This cannot be undone.
          </AlertDialog.Description>
          <div className={styles.actions}>
            <AlertDialog.Close className={buttonClass()}>Keep</AlertDialog.Close>
            <AlertDialog.Close className={buttonClass({ look: 'danger' })} onClick={eraseAll}>
              Erase
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
