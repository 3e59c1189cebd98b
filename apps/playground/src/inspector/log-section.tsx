import type { Entry } from '@turnloop/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { memo, type ReactElement, useId, useState } from 'react'
import { Button } from '../app/button.tsx'
import { formatCount } from '../app/format.ts'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { useEntries } from '../app/use-turn-log.ts'
import { CopyButton } from '../chat/copy-button.tsx'
import styles from './section.module.css'
import { readableJson, valuesApart } from './values-apart.ts'
import { ValuesApartList } from './values-apart-list.tsx'

/** Long logs show their end first. */
const SHOWN = 100

/** As many older ones come in at once: all of a long session would stop the page for seconds. */
const STEP = 500

/** The session's log as it is stored: every fact, in order. */
export function LogSection(): ReactElement {
  const entries = useEntries()
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  return (
    <section className={styles.section} aria-label="Log">
      <header className={styles.head}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight className={styles.chevron} size={13} aria-hidden="true" />
          Log
        </button>
        {isOpen && <CopyButton label="Copy log as JSON" text={() => JSON.stringify(entries, null, 2)} />}
      </header>
      <div id={listId} hidden={!isOpen}>
        {isOpen && <Entries entries={entries} />}
      </div>
    </section>
  )
}

function Entries({ entries }: { entries: readonly Entry[] }): ReactElement {
  const [count, setCount] = useState(SHOWN)
  const shown = entries.slice(-count)
  const more = entries.length - shown.length
  const startedAt = entries[0]?.at ?? 0
  return (
    <>
      {more > 0 && (
        <Button look="quiet" size="small" onClick={() => setCount(count + STEP)}>
          {more > STEP ? `Show ${STEP} of ${formatCount(more)} older` : `Show all ${formatCount(entries.length)}`}
        </Button>
      )}
      <ol className={styles.entries}>
        {shown.map((entry) => (
          <EntryRow key={entry.sequence} entry={entry} startedAt={startedAt} />
        ))}
      </ol>
    </>
  )
}

const EntryRow = memo(function EntryRow({ entry, startedAt }: { entry: Entry; startedAt: number }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const jsonId = useId()
  return (
    <li>
      <button
        type="button"
        className={styles.entry}
        aria-expanded={isOpen}
        aria-controls={jsonId}
        onClick={() => setOpen(!isOpen)}
      >
        <span className={styles.sequence}>{entry.sequence}</span>
        <span>{entryWords(entry)}</span>
        <span className={styles.at}>{((entry.at - startedAt) / 1000).toFixed(2)} s</span>
      </button>
      <div id={jsonId} hidden={!isOpen}>
        {isOpen && (
          <>
            <ValuesApartList values={valuesApart(entry)} />
            <ScrollRegion name={`Entry ${entry.sequence}`} className={styles.json}>
              {readableJson(entry)}
            </ScrollRegion>
          </>
        )}
      </div>
    </li>
  )
})

function entryWords(entry: Entry): string {
  switch (entry.type) {
    case 'message':
      return `message ${entry.message.role}${entry.message.role !== 'tool' && entry.message.synthetic === 'blocked' ? ' blocked' : ''}`
    case 'tool-started':
      return `tool-started ${entry.toolName}`
    case 'tool-settled':
      return `tool-settled ${entry.toolName}`
    case 'checkpoint':
      return `checkpoint ${entry.position}`
    case 'overlay':
      return `overlay ${entry.by}`
    case 'approval-requested':
      return `approval-requested ${entry.toolName}`
    case 'approval-decided':
      return `approval-decided ${entry.allow ? 'allowed' : 'not allowed'}`
    case 'turn-ended':
      return `turn-ended ${entry.outcome.kind}`
    default:
      return entry.type
  }
}
