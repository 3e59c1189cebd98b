import type { SessionHead } from '@turnloop/core'
import { useSessions } from '@turnloop/react'
import CircleAlert from 'lucide-react/icons/circle-alert'
import Search from 'lucide-react/icons/search'
import { type ReactElement, useState } from 'react'
import { Button } from '../app/button.tsx'
import { useObservable } from '../app/observable.ts'
import { openSheet } from '../app/panes.ts'
import { usePlayground } from '../app/playground-context.ts'
import { sessionHref, useSessionId } from '../app/route.ts'
import { useNow } from '../app/use-now.ts'
import { hiddenSessions } from './deleted-sessions.ts'
import { findSessions, groupSessions } from './group-sessions.ts'
import { moveInList, SESSION_LINK } from './list-keys.ts'
import styles from './session-list.module.css'
import { SessionRow } from './session-row.tsx'
import { unsavedSessions } from './unsaved-sessions.tsx'

/** Past conversations, newest first, by day; searched by title. */
export function SessionList(): ReactElement {
  const { store } = usePlayground()
  const { sessions, status, error, refresh } = useSessions(store)
  const hidden = useObservable(hiddenSessions)
  const [search, setSearch] = useState('')
  const now = useNow(true, 60_000)
  const shown = sessions.filter(({ id }) => !hidden.has(id))
  const unsaved = useUnlisted(sessions)
  const found = findSessions(shown, search)
  return (
    <section className={styles.section} aria-label="Sessions" onKeyDown={moveInList}>
      {shown.length > 0 && <SearchField value={search} onChange={setSearch} />}
      <div className={styles.list}>
        {unsaved.length > 0 && <UnsavedGroup sessions={unsaved} />}
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
        {status === 'ready' && shown.length === 0 && unsaved.length === 0 && (
          <p className={styles.none}>Your conversations are kept here, in this browser.</p>
        )}
        {shown.length > 0 && found.length === 0 && (
          <div className={styles.none}>
            <p>No session is called “{search.trim()}”.</p>
            <Button size="small" onClick={() => setSearch('')}>
              Show all
            </Button>
          </div>
        )}
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

/** Those of which nothing could be saved: no store lists them. */
function useUnlisted(sessions: readonly SessionHead[]): [id: string, title: string][] {
  const unsaved = useObservable(unsavedSessions)
  return [...unsaved].filter(([id]) => !sessions.some((session) => session.id === id))
}

function UnsavedGroup({ sessions }: { sessions: readonly [id: string, title: string][] }): ReactElement {
  const current = useSessionId()
  return (
    <section aria-label="Not saved">
      <h2 className={styles.label}>Not saved</h2>
      <ul>
        {sessions.map(([id, title]) => (
          <li key={id} className={styles.row} data-current={id === current || undefined}>
            <a
              className={styles.link}
              href={sessionHref(id)}
              title={title}
              aria-current={id === current ? 'page' : undefined}
              {...{ [SESSION_LINK]: id }}
              onClick={() => openSheet.set(undefined)}
            >
              <span className={styles.title}>{title}</span>
              <span className={styles.waiting}>
                <CircleAlert size={13} aria-hidden="true" />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactElement {
  return (
    <label className={styles.search}>
      <Search size={14} aria-hidden="true" />
      <input
        type="search"
        placeholder="Search"
        aria-label="Search sessions"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          // Where there is nothing to clear, Escape is for whoever else listens: the sheet, or the running turn.
          if (event.key !== 'Escape' || value === '') return
          event.preventDefault()
          event.stopPropagation()
          onChange('')
        }}
      />
    </label>
  )
}
