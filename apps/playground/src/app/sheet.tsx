import { Dialog } from '@base-ui/react/dialog'
import X from 'lucide-react/icons/x'
import type { ReactElement, ReactNode } from 'react'
import dialog from './dialog.module.css'
import { IconButton } from './icon-button.tsx'
import { useObservable } from './observable.ts'
import { openSheet, type PaneName } from './panes.ts'
import styles from './sheet.module.css'

/** A pane that slides over the conversation on a narrow window. Escape, a tap beside it or its button close it. */
export function Sheet(props: { pane: PaneName; label: string; children: ReactNode }): ReactElement {
  const { pane, label, children } = props
  const open = useObservable(openSheet) === pane
  return (
    <Dialog.Root open={open} onOpenChange={(next) => openSheet.set(next ? pane : undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={styles.sheet} data-pane={pane} aria-label={label}>
          {children}
          <Dialog.Close render={<IconButton label={`Close ${label.toLowerCase()}`} className={styles.close} />}>
            <X size={17} aria-hidden="true" />
          </Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
