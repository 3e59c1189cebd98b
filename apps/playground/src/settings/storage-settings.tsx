import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useSessions } from '@turnloop/react'
import { type ReactElement, useEffect, useState } from 'react'
import { Button, buttonClass } from '../app/button.tsx'
import { formatBytes, plural } from '../app/format.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { goToNewSession } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import styles from './form.module.css'
import confirm from './storage-settings.module.css'

/** What this page has stored in the browser, and a way to delete all of it. */
export function StorageSettings(): ReactElement {
  const { store } = usePlayground()
  const { sessions } = useSessions(store)
  const { tables } = useData()
  const { usedBytes, isPersistent } = useStorageFacts()
  return (
    <div className={styles.form}>
      <h3 className={styles.title}>In this browser</h3>
      <dl className={styles.facts}>
        <dt>Kept</dt>
        <dd>
          {plural(sessions.length, 'session')}, {plural(tables.length, 'table')}
        </dd>
        <dt>Used</dt>
        <dd>{usedBytes === undefined ? 'not known' : formatBytes(usedBytes)}</dd>
        <dt>Lasting</dt>
        <dd>
          {isPersistent ? 'Yes: only you can delete it.' : 'The browser may delete it when the device runs full.'}
        </dd>
      </dl>
      <p className={styles.hint}>Nothing of this is on a server. Deleting it here deletes it for good.</p>
      <div className={styles.actions}>
        <DeleteAll />
      </div>
    </div>
  )
}

function useStorageFacts(): { usedBytes: number | undefined; isPersistent: boolean } {
  const [facts, setFacts] = useState<{ usedBytes: number | undefined; isPersistent: boolean }>({
    usedBytes: undefined,
    isPersistent: false,
  })
  useEffect(() => {
    let isShown = true
    const read = async (): Promise<void> => {
      const [estimate, isPersistent] = await Promise.all([navigator.storage.estimate(), navigator.storage.persisted()])
      if (isShown) setFacts({ usedBytes: estimate.usage, isPersistent })
    }
    // A browser that does not tell leaves "not known" standing.
    read().catch(() => {})
    return () => {
      isShown = false
    }
  }, [])
  return facts
}

function DeleteAll(): ReactElement {
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
  }
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger render={<Button look="danger" />}>Delete all…</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={confirm.backdrop} forceRender />
        <AlertDialog.Popup className={confirm.popup}>
          <AlertDialog.Title className={confirm.title}>Delete everything?</AlertDialog.Title>
          <AlertDialog.Description className={confirm.words}>
            {plural(sessions.length, 'session')} and {plural(tables.length, 'table')} are deleted from this browser.
            This cannot be undone.
          </AlertDialog.Description>
          <div className={confirm.actions}>
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
