import type { JsonObject } from '@turnloop/core'
import type { ReactElement } from 'react'
import { formatDuration, plural } from '../app/format.ts'
import { useTurn } from '../app/use-turn.ts'
import { readToolTimes, TOOL_TIMES } from '../hooks/tool-times.ts'
import styles from './section.module.css'

/** What hooks and tools have noted in the session's state. Nothing where there is none. */
export function StateSection(): ReactElement | null {
  const state = useTurn((turn) => turn.state)
  const rows = stateRows(state)
  if (rows.length === 0) return null
  return (
    <section className={styles.section} aria-label="State">
      <h3 className={styles.title}>State</h3>
      <dl className={`${styles.pairs} ${styles.noted}`}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The times of tools in words, and everything else as it stands. */
function stateRows(state: JsonObject): (readonly [name: string, value: string])[] {
  const times = [...readToolTimes(state)].map(([tool, { runs, lastMs, totalMs }]) => {
    const all = runs > 1 ? `, ${formatDuration(totalMs)} in all` : ''
    return [tool, `${plural(runs, 'run')}, ${runs > 1 ? 'last ' : ''}${formatDuration(lastMs)}${all}`] as const
  })
  const others = Object.entries(state).filter(([key]) => key !== TOOL_TIMES)
  return [...times, ...others.map(([key, value]) => [key, JSON.stringify(value)] as const)]
}
