import type { Session } from '@turnloop/core'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { type Readable, useSelected } from '../use-selected.ts'
import { Icon } from './icon.tsx'
import { LogView } from './log-view.tsx'
import { type PanelLayout, TABS, type Tab } from './panel-layout.ts'
import type { Player } from './player.ts'
import { ReplayView } from './replay-view.tsx'
import { ResizeHandle } from './resize-handle.tsx'
import { SnapshotsView } from './snapshots-view.tsx'
import { TimelineView } from './timeline-view.tsx'
import type { Trace } from './trace.ts'
import { Transport } from './transport.tsx'
import type { Replay } from './use-replay.ts'
import { useRoom } from './use-room.ts'
import { ViewBoundary } from './view-boundary.tsx'

/** Props of `Panel`. */
export interface PanelProps {
  session: Session | undefined
  recorder: Readable<Trace> | undefined
  layout: PanelLayout
  onLayout(layout: PanelLayout): void
  replay: Replay
  onClose(): void
}

/** The open panel. */
export function Panel(props: PanelProps): ReactNode {
  const { session, recorder, layout, onLayout, replay, onClose } = props
  const { dock, tab, size } = layout
  const { player } = replay
  const id = useId()
  const frame = useRef<HTMLElement>(null)
  useRoom(frame)
  const tabId = (one: Tab): string => `${id}-${one}`
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose()
  }
  return (
    <section
      ref={frame}
      className="panel"
      aria-label="Turnloop devtools"
      data-dock={dock}
      style={dock === 'bottom' ? { height: size.bottom } : { width: size.right }}
      onKeyDown={onKeyDown}
    >
      <ResizeHandle
        dock={dock}
        size={size[dock]}
        onSize={(next) => onLayout({ ...layout, size: { ...size, [dock]: next } })}
      />
      <header className="head">
        <Tabs id={id} selected={tab} tabId={tabId} onSelect={(next) => onLayout({ ...layout, tab: next })} />
        {session && <Status session={session} />}
        <button
          type="button"
          aria-label={dock === 'bottom' ? 'Dock at the right' : 'Dock at the bottom'}
          onClick={() => onLayout({ ...layout, dock: dock === 'bottom' ? 'right' : 'bottom' })}
        >
          <Icon name={dock === 'bottom' ? 'right' : 'bottom'} />
        </button>
        <button type="button" aria-label="Close devtools" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {player && <Transport player={player} onLeave={replay.leave} />}
      <div className="body" role="tabpanel" id={`${id}-panel`} aria-labelledby={tabId(tab)}>
        <ViewBoundary of={`${tab} ${player === undefined ? session?.id : player.recording.file.id}`}>
          {tab === 'Replay' ? (
            <ReplayView session={session} replay={replay} />
          ) : player ? (
            <RecordedView tab={tab} player={player} />
          ) : recorder ? (
            <LiveView tab={tab} recorder={recorder} />
          ) : (
            <p className="empty">No session yet.</p>
          )}
        </ViewBoundary>
      </div>
    </section>
  )
}

function LiveView({ tab, recorder }: { tab: Tab; recorder: Readable<Trace> }): ReactNode {
  const trace = useSelected(recorder, (current) => current, Object.is)
  return <TraceView tab={tab} trace={trace} isLive />
}

function RecordedView({ tab, player }: { tab: Tab; player: Player }): ReactNode {
  const trace = useSelected(player, (state) => state.trace, Object.is)
  return <TraceView tab={tab} trace={trace} isLive={false} />
}

function TraceView({ tab, trace, isLive }: { tab: Tab; trace: Trace; isLive: boolean }): ReactNode {
  if (tab === 'Timeline') return <TimelineView trace={trace} isLive={isLive} />
  return tab === 'Log' ? <LogView trace={trace} /> : <SnapshotsView trace={trace} />
}

function Status({ session }: { session: Session }): ReactNode {
  const { status, storage } = useSelected(session, (snapshot) => ({
    status: snapshot.status,
    storage: snapshot.storage.state,
  }))
  return (
    <span className="status">
      <span className="tag" data-status={status}>
        {status}
      </span>
      <span className="quiet">
        {storage === 'ready' ? 'saved' : storage} · {session.id}
      </span>
    </span>
  )
}

interface TabsProps {
  id: string
  selected: Tab
  tabId(tab: Tab): string
  onSelect(tab: Tab): void
}

function Tabs({ id, selected, tabId, onSelect }: TabsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = (TABS.indexOf(selected) + step + TABS.length) % TABS.length
    const next = TABS[index] ?? selected
    onSelect(next)
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus()
  }
  return (
    <div ref={list} className="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={tabId(tab)}
          aria-selected={tab === selected}
          aria-controls={`${id}-panel`}
          tabIndex={tab === selected ? 0 : -1}
          onClick={() => onSelect(tab)}
        >
          {tab}
        </button>
      ))}
    </div>
  )
}
