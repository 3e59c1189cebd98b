import { requestPersistence } from '@turnloop/indexeddb'
import { useSessions } from '@turnloop/react'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'
import { Button } from '../app/button.tsx'
import { FileInput } from '../app/file-input.tsx'
import { formatBytes, plural } from '../app/format.ts'
import { useData, usePlayground } from '../app/playground-context.ts'
import { exportAll } from '../sessions/export-sessions.ts'
import { ImportNotice } from '../sessions/import-notice.tsx'
import { importFile } from '../sessions/import-sessions.ts'
import { DeleteAll } from './delete-all.tsx'
import styles from './form.module.css'
import storage from './storage-settings.module.css'
import { type StorageFacts, useStorageFacts } from './use-storage-facts.ts'

/** What this page has stored in the browser, and what can be done with it: keep it for good, take it along, delete it. */
export function StorageSettings(): ReactElement {
  const playground = usePlayground()
  const { sessions } = useSessions(playground.store)
  const { tables } = useData()
  const [asked, setAsked] = useState(0)
  const again = (): void => setAsked((count) => count + 1)
  const facts = useStorageFacts(`${sessions.length} ${tables.length} ${asked}`)
  return (
    <div className={styles.form}>
      <h3 className={styles.title}>In this browser</h3>
      <dl className={styles.facts}>
        <dt>Kept</dt>
        <dd>
          {plural(sessions.length, 'session')}, {plural(tables.length, 'table')}
        </dd>
        <dt>Used</dt>
        <dd>
          <Used facts={facts} />
        </dd>
        <dt>Lasting</dt>
        <dd>
          <Lasting facts={facts} onAsked={again} />
        </dd>
      </dl>
      <p className={styles.hint}>Nothing of this is on a server. Deleting it here deletes it for good.</p>
      <Part title="Take along">
        <Button
          disabled={sessions.length === 0}
          onClick={() =>
            exportAll(
              sessions.map(({ id }) => id),
              playground,
            )
          }
        >
          Export all sessions
        </Button>
        <ImportButton />
      </Part>
      <p className={styles.hint}>Tables are not in the file. An imported session comes beside those that are here.</p>
      <ImportNotice />
      <Part title="Start over">
        <DeleteAll onDeleted={again} />
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <section className={storage.part} aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      <div className={styles.actions}>{children}</div>
    </section>
  )
}

function Used({ facts }: { facts: StorageFacts | undefined }): ReactElement {
  if (facts === undefined) return <>…</>
  if (facts.use === undefined) return <>not known</>
  const { usedBytes, quotaBytes } = facts.use
  return (
    <>
      {formatBytes(usedBytes)} of {formatBytes(quotaBytes)}
      <meter className={storage.meter} aria-label="Share that is used" max={quotaBytes} value={usedBytes} />
    </>
  )
}

/** Whether the browser keeps it, and the way to ask for that. */
function Lasting({ facts, onAsked }: { facts: StorageFacts | undefined; onAsked: () => void }): ReactElement {
  const [wasRefused, setRefused] = useState(false)
  if (facts === undefined) return <>…</>
  if (facts.isPersistent) return <>Yes: only you can delete it.</>
  const ask = async (): Promise<void> => {
    setRefused(!(await requestPersistence()))
    onAsked()
  }
  return (
    <div className={storage.lasting}>
      <span>
        {wasRefused
          ? 'The browser did not agree now. It may when you use this page more often, or bookmark it.'
          : 'Until the device runs full: then the browser may clear it.'}
      </span>
      <Button size="small" onClick={ask}>
        {wasRefused ? 'Ask again' : 'Keep it for good'}
      </Button>
    </div>
  )
}

function ImportButton(): ReactElement {
  const { store } = usePlayground()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button onClick={() => input.current?.click()}>Import…</Button>
      <FileInput
        ref={input}
        accept=".json,application/json"
        label="File with sessions"
        onFiles={([file]) => file && void importFile(file, store)}
      />
    </>
  )
}
