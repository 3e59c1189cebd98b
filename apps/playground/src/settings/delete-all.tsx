import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useSessions } from '@turnloop/react'
import type { ReactElement } from 'react'
import { Button, buttonClass } from '../app/button.tsx'
import styles from '../app/confirm.module.css'
import { plural } from '../app/format.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { goToNewSession } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'

/** Deletes every session and every table, once it was asked whether that is meant. */
export function DeleteAll({ onDeleted }: { onDeleted: () => void }): ReactElement {
  const { store, library } = usePlayground()
  const { sessions, remove } = useSessions(store)
  const { tables } = useData()
  const deleteAll = async (): Promise<void> => {
    try {
      for (const { id } of sessions) await remove(id)
      for (const { name } of tables) await library.remove(name)
      goToNewSession()
      toasts.add({ title: 'All sessions and tables are deleted.' })
    } catch (error) {
      toasts.add({ title: error instanceof Error ? error.message : 'Not everything could be deleted.' })
    }
    onDeleted()
  }
  const isEmpty = sessions.length === 0 && tables.length === 0
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger disabled={isEmpty} render={<Button look="danger" />}>
        Delete all…
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} forceRender />
        <AlertDialog.Popup className={styles.popup}>
          <AlertDialog.Title className={styles.title}>Delete everything?</AlertDialog.Title>
          <AlertDialog.Description className={styles.words}>
            {plural(sessions.length, 'session')} and {plural(tables.length, 'table')} are deleted from this browser.
            This cannot be undone.
          </AlertDialog.Description>
          <div className={styles.actions}>
            <AlertDialog.Close className={buttonClass()}>Keep</AlertDialog.Close>
            <AlertDialog.Close className={buttonClass({ look: 'danger' })} onClick={deleteAll}>
              Delete all
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
