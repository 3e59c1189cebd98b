import { useSessions } from '@turnloop/react'
import Search from 'lucide-react/icons/search'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useObservable } from '../app/observable.ts'
import { usePlayground } from '../app/playground-context.ts'
import { useNow } from '../app/use-now.ts'
import { hiddenSessions } from './deleted-sessions.ts'
import { findSessions, groupSessions } from './group-sessions.ts'
import styles from './session-list.module.css'
import { SessionRow } from './session-row.tsx'

/** Past conversations, newest first, by day; searched by title. */
export function SessionList(): ReactElement {
  const { store } = usePlayground()
  const { sessions, status, error, refresh } = useSessions(store)
  const hidden = useObservable(hiddenSessions)
  const [search, setSearch] = useState('')
  const now = useNow(true, 60_000)
  const shown = sessions.filter(({ id }) => !hidden.has(id))
  const found = findSessions(shown, search)
  return (
    <section className={styles.section} aria-label="Sessions">
      {shown.length > 0 && (
        <label className={styles.search}>
          <Search size={14} aria-hidden="true" />
          <input
            type="search"
            placeholder="Search"
            aria-label="Search sessions"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
      )}
      <div className={styles.list}>
        {groupSessions(found, now).map((group) => (
          <section key={group.label} aria-label={group.label}>
            <h2 className={styles.label}>{group.label}</h2>
            <ul>
              {group.sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </ul>
          </section>
        ))}
        {status === 'ready' && shown.length === 0 && (
          <p className={styles.none}>Your conversations are kept here, in this browser.</p>
        )}
        {shown.length > 0 && found.length === 0 && <p className={styles.none}>No title has these words.</p>}
        {status === 'failed' && (
          <div className={styles.none} role="alert">
            <p>{error?.message ?? 'The sessions could not be read.'}</p>
            <Button size="small" onClick={() => refresh()}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
