import type { StorageStatus } from '@turnloop/core'
import type { ReactElement } from 'react'
import { plural } from '../app/format.ts'
import { useTurn } from '../app/use-turn.ts'
import { useEntries } from '../app/use-turn-log.ts'
import styles from './section.module.css'

/** How the session stands: whether it is saved, who drives it. */
export function SessionSection(): ReactElement {
  const { storage, status, role } = useTurn((turn) => ({ storage: turn.storage, status: turn.status, role: turn.role }))
  const entries = useEntries()
  return (
    <section className={styles.section} aria-label="Session">
      <h3 className={styles.title}>Session</h3>
      <dl className={styles.pairs}>
        <div>
          <dt>status</dt>
          <dd>{status}</dd>
        </div>
        <div>
          <dt>storage</dt>
          <dd>{savedWords(storage)}</dd>
        </div>
        <div>
          <dt>log</dt>
          <dd>{plural(entries.length, 'entry', 'entries')}</dd>
        </div>
        <div>
          <dt>this tab</dt>
          <dd>{role === 'driver' ? 'drives the turns' : 'follows another tab'}</dd>
        </div>
      </dl>
    </section>
  )
}

function savedWords({ state, waiting }: StorageStatus): string {
  if (state === 'memory') return 'not saved, by choice'
  const behind = waiting > 0 ? `, ${plural(waiting, 'entry', 'entries')} on the way` : ''
  if (state === 'ready') return `saved in this browser${behind}`
  return waiting > 0 ? `${state}, ${plural(waiting, 'entry waits', 'entries wait')} in this tab` : state
}
