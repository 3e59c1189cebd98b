import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { formatMs, formatTime } from './format.ts'
import { DetailPane, JsonView } from './json-view.tsx'
import { PickList } from './pick-list.tsx'
import { tokenWords } from './rows-of-entries.ts'
import { type Timeline, timelineOf } from './timeline.ts'
import type { TimelineRow } from './timeline-row.ts'
import type { Trace } from './trace.ts'
import { type LoggedTurn, TurnLog, turnsSetAside } from './turn-log.ts'
import { TurnPicker } from './turn-picker.tsx'

/** Turns drawn in time, one at a time; the newest, unless another is chosen. */
export function TimelineView({ trace, isLive }: { trace: Trace; isLive: boolean }): ReactNode {
  const [log] = useState(() => new TurnLog())
  const [chosenId, setChosenId] = useState<string>()
  const turns = log.read(trace.entries, trace.count)
  const index = turns.findLastIndex(({ turnId }) => chosenId === undefined || turnId === chosenId)
  const turn = turns[index] ?? turns.at(-1)
  if (turn === undefined) return <p className="empty">No turn yet. Each one is drawn here as it happens.</p>
  return (
    <div className="view">
      <div className="bar">
        <TurnPicker
          number={turn.number}
          count={turns.length}
          onPick={(number) => setChosenId(number >= turns.length ? undefined : turns[number - 1]?.turnId)}
        />
        <TurnFacts turn={turn} turns={turns} trace={trace} />
      </div>
      <OneTurn key={turn.turnId} turn={turn} trace={trace} isLive={isLive} />
    </div>
  )
}

function TurnFacts({
  turn,
  turns,
  trace,
}: {
  turn: LoggedTurn
  turns: readonly LoggedTurn[]
  trace: Trace
}): ReactNode {
  const { rewinds } = trace.snapshot.source
  const aside = useMemo(() => turnsSetAside(turns, rewinds), [turns, rewinds])
  const { outcome, usage, startedAt, endedAt, turnId } = turn
  const tokens = tokenWords(usage)
  return (
    <>
      <span className="tag" data-tone={outcomeTone(outcome?.kind)}>
        {outcome?.kind ?? 'running'}
      </span>
      {aside.has(turnId) && <span className="tag">left behind</span>}
      <span className="quiet">
        {formatTime(startedAt)}
        {endedAt !== undefined && ` · ${formatMs(endedAt - startedAt)}`}
        {tokens !== undefined && ` · ${tokens}`}
      </span>
    </>
  )
}

function outcomeTone(kind: string | undefined): string | undefined {
  if (kind === undefined || kind === 'completed') return undefined
  return kind === 'failed' ? 'bad' : 'warn'
}

function OneTurn({ turn, trace, isLive }: { turn: LoggedTurn; trace: Trace; isLive: boolean }): ReactNode {
  const [selectedKey, setSelectedKey] = useState<string>()
  const isRunning = turn.endedAt === undefined
  const now = useNow(isLive && isRunning)
  const lastAt = turn.entries.at(-1)?.at ?? turn.startedAt
  const end = isLive ? Math.max(now, lastAt) : (trace.entries[trace.count - 1]?.at ?? lastAt)
  // A turn that is over looks the same at any time.
  const until = isRunning ? end : 0
  const timeline = useMemo(() => timelineOf(turn, trace.notes, until), [turn, trace.notes, until])
  const { rows } = timeline
  const selected = rows.findIndex(({ key }) => key === selectedKey)
  const row = rows[selected]
  return (
    <div className="split">
      <div className="master">
        <Axis timeline={timeline} />
        <PickList
          label="Timeline of the turn"
          className="timeline"
          count={rows.length}
          keyAt={(at) => rows[at]?.key ?? ''}
          rowAt={(at) => <Bar row={rows[at]} timeline={timeline} />}
          selected={selected}
          onSelect={(at) => setSelectedKey(rows[at]?.key)}
          follows={isRunning}
        />
      </div>
      {row && <RowDetail row={row} startedAt={turn.startedAt} />}
    </div>
  )
}

function Axis({ timeline }: { timeline: Timeline }): ReactNode {
  const length = timeline.to - timeline.from
  return (
    <div className="axis" aria-hidden="true">
      <span />
      <span className="ticks">
        {[0, 0.25, 0.5, 0.75].map((part) => (
          <span key={part} style={{ left: `${part * 100}%` }}>
            {formatMs(length * part)}
          </span>
        ))}
      </span>
      <span className="what">{formatMs(length)}</span>
    </div>
  )
}

function Bar({ row, timeline }: { row: TimelineRow | undefined; timeline: Timeline }): ReactNode {
  if (row === undefined) return null
  const { kind, label, depth, tone, from, to, isRunning, firstTokenMs, detail } = row
  const length = timeline.to - timeline.from
  const left = Math.max(0, Math.min(100, ((from - timeline.from) / length) * 100))
  const width = Math.max(0, Math.min(100 - left, ((to - from) / length) * 100))
  const isPoint = from === to
  return (
    <span className="lane" data-kind={kind} data-tone={tone}>
      <span className="name" style={{ paddingInlineStart: depth * 12 }}>
        {kind !== 'iteration' && <span className="kind">{kind}</span>}
        <span className="label">{label}</span>
      </span>
      <span className="track">
        <span
          className={isPoint ? 'dot' : 'span'}
          data-running={isRunning}
          style={isPoint ? { left: `${left}%` } : { left: `${left}%`, width: `${width}%` }}
        >
          {firstTokenMs !== undefined && to > from && (
            <span className="first" style={{ width: `${Math.min(100, (firstTokenMs / (to - from)) * 100)}%` }} />
          )}
        </span>
      </span>
      <span className="what">{detail}</span>
    </span>
  )
}

function RowDetail({ row, startedAt }: { row: TimelineRow; startedAt: number }): ReactNode {
  const { kind, label, from, detail, source } = row
  return (
    <DetailPane title={`${kind} ${label}`}>
      <h3>
        {label} <span className="quiet">{kind}</span>
      </h3>
      <p>
        {detail !== '' && `${detail}, `}from {formatMs(Math.max(0, from - startedAt))} into the turn
      </p>
      {source.length > 0 && <JsonView label={`JSON of ${label}`} value={source.length === 1 ? source[0] : source} />}
    </DetailPane>
  )
}

/** The time, as long as it matters. */
function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isTicking) return
    const tick = (): void => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 250)
    return () => clearInterval(timer)
  }, [isTicking])
  return now
}
