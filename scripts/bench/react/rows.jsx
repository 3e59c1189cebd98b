import { memo, Profiler } from 'react'

/**
 * What was rendered since the last `resetCounts`: calls of a row's inside; and, in the profiling build only, commits of the
 * transcript.
 */
export const counts = { rows: 0, commits: 0 }

export const resetCounts = () => Object.assign(counts, { rows: 0, commits: 0 })

const countCommit = () => {
  counts.commits++
}

/** Around the rows of every peer. @param {{ children: import('react').ReactNode }} props */
export function Transcript({ children }) {
  return (
    <Profiler id="transcript" onRender={countCommit}>
      <div>{children}</div>
    </Profiler>
  )
}

/** The inside of a row, the same for every peer. @param {{ from: string, text: string }} props */
export function RowView({ from, text }) {
  counts.rows++
  return (
    <div className="row" data-role={from}>
      <p>{text}</p>
    </div>
  )
}

/**
 * A row that is given the peer's own message object.
 *
 * @param {(message: any) => string} textOf
 * @param {'memo' | 'plain'} rows
 */
export function createRow(textOf, rows) {
  const Row = (/** @type {{ message: any }} */ { message }) => <RowView from={message.role} text={textOf(message)} />
  return rows === 'memo' ? memo(Row) : Row
}
