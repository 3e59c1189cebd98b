import type { Entry } from '@turnloop/core'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { entryWords } from './entry-words.ts'
import { counted, formatCount, formatTime } from './format.ts'
import { DetailPane, JsonView } from './json-view.tsx'
import { type LogFilter, LogSearch } from './log-filter.ts'
import { PickList } from './pick-list.tsx'
import type { Trace } from './trace.ts'

const EVERYTHING: LogFilter = { text: '', type: '', turnId: '' }

/** The kinds of entries that can be asked for. */
const KINDS: readonly Entry['type'][] = [
  ...(['turn-started', 'message', 'note', 'checkpoint', 'tool-started', 'tool-settled'] as const),
  ...(['approval-requested', 'approval-decided', 'state-changed', 'overlay', 'overlay-undone', 'rewound'] as const),
  ...(['session-changed', 'erased', 'stop-requested', 'turn-paused', 'turn-ended'] as const),
]

/** The log, entry by entry, as it grows. */
export function LogView({ trace }: { trace: Trace }): ReactNode {
  const [search] = useState(() => new LogSearch())
  const [filter, setFilter] = useState(EVERYTHING)
  const [picked, setPicked] = useState<number>()
  // A key in the search field is shown before a long log has been looked through.
  const wanted = useDeferredValue(filter)
  const found = search.find(trace.entries, trace.count, wanted)
  const selected = picked === undefined ? -1 : indexOf(found, picked)
  const entry = found[selected]
  return (
    <div className="view">
      <LogBar filter={filter} onFilter={setFilter} words={wordsOf(found.length, trace)} turnOf={entry?.turnId} />
      <div className="split">
        {found.length === 0 ? (
          <p className="empty">{trace.count === 0 ? 'Nothing is in the log yet.' : 'No entry passes the filter.'}</p>
        ) : (
          <PickList
            label="Log entries"
            className="log master"
            count={found.length}
            keyAt={(at) => String(found[at]?.sequence)}
            rowAt={(at) => <EntryRow entry={found[at]} />}
            selected={selected}
            onSelect={(at) => setPicked(found[at]?.sequence)}
            follows
          />
        )}
        {entry && (
          <DetailPane title={`Entry ${entry.sequence}`}>
            <h3>
              #{entry.sequence} {entry.type}
            </h3>
            <JsonView label={`JSON of entry ${entry.sequence}`} value={entry} />
          </DetailPane>
        )}
      </div>
    </div>
  )
}

interface LogBarProps {
  filter: LogFilter
  onFilter(filter: LogFilter): void
  words: string
  /** The turn of the entry that is picked. */
  turnOf: string | undefined
}

function LogBar({ filter, onFilter, words, turnOf }: LogBarProps): ReactNode {
  return (
    <div className="bar">
      <input
        type="search"
        aria-label="Search the log"
        placeholder="Search"
        value={filter.text}
        onChange={({ target }) => onFilter({ ...filter, text: target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || filter.text === '') return
          // The first Escape is the field's own, in every browser.
          event.preventDefault()
          onFilter({ ...filter, text: '' })
        }}
      />
      <select
        aria-label="Type of entry"
        value={filter.type}
        onChange={({ target }) => onFilter({ ...filter, type: target.value })}
      >
        <option value="">all types</option>
        {KINDS.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
      {(filter.turnId !== '' || turnOf !== undefined) && (
        <label>
          <input
            type="checkbox"
            checked={filter.turnId !== ''}
            onChange={({ target }) => onFilter({ ...filter, turnId: target.checked ? (turnOf ?? '') : '' })}
          />{' '}
          this turn only
        </label>
      )}
      <span className="quiet" role="status">
        {words}
      </span>
    </div>
  )
}

function wordsOf(found: number, { entries, count }: Trace): string {
  const words = counted(found, 'entry', 'entries')
  const first = entries[0]?.sequence ?? 1
  // Of a long session the end alone is read; an export has all of it.
  const from = first > 1 ? `, from ${formatCount(first)} on: "Replay this session" reads the rest` : ''
  return (found === count ? words : `${words} of ${formatCount(count)}`) + from
}

function EntryRow({ entry }: { entry: Entry | undefined }): ReactNode {
  if (entry === undefined) return null
  const { sequence, at, type, path } = entry
  return (
    <span className="entry" data-type={type}>
      <span className="number">{sequence}</span>
      <span className="time">{formatTime(at)}</span>
      <span className="type">
        {path !== undefined && '↳ '}
        {type}
      </span>
      <span className="words">{entryWords(entry)}</span>
    </span>
  )
}

/** Where an entry stands in an ascending list; -1 if it does not. */
function indexOf(entries: readonly Entry[], sequence: number): number {
  let [low, high] = [0, entries.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = entries[middle]?.sequence ?? 0
    if (found === sequence) return middle
    if (found < sequence) low = middle + 1
    else high = middle - 1
  }
  return -1
}
