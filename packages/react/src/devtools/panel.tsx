import type { Session } from '@turnloop/core'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'
import { type Readable, useSelected } from '../use-selected.ts'
import { Icon } from './icon.tsx'
import { LogView } from './log-view.tsx'
import type { Player } from './player.ts'
import { ReplayView } from './replay-view.tsx'
import { ResizeHandle } from './resize-handle.tsx'
import { SnapshotsView } from './snapshots-view.tsx'
import { TimelineView } from './timeline-view.tsx'
import type { Trace } from './trace.ts'
import { Transport } from './transport.tsx'
import { ViewBoundary } from './view-boundary.tsx'

/** At which edge of the window the panel stands. */
export type Dock = 'bottom' | 'right'

/** How the panel stands; kept while it is closed. */
export interface PanelLayout {
  readonly dock: Dock
  readonly tab: Tab
  /** Its height at the bottom, its width at the right, in px. */
  readonly size: Readonly<Record<Dock, number>>
}

const TABS = ['Timeline', 'Log', 'Snapshots', 'Replay'] as const
type Tab = (typeof TABS)[number]

/** How the panel stands at first. */
export function startLayout(dock: Dock): PanelLayout {
  // A narrow one has lists and details below each other.
  const bottom = window.innerWidth < 640 ? Math.round(window.innerHeight * 0.6) : 340
  return { dock, tab: 'Timeline', size: { bottom, right: 520 } }
}

/** Props of `Panel`. */
export interface PanelProps {
  session: Session | undefined
  recorder: Readable<Trace> | undefined
  snapshots: number
  layout: PanelLayout
  onLayout(layout: PanelLayout): void
  player: Player | undefined
  onPlayer(player: Player | undefined): void
  onClose(): void
}

/** The open panel. */
export function Panel(props: PanelProps): ReactNode {
  const { session, recorder, snapshots, layout, onLayout, player, onPlayer, onClose } = props
  const { dock, tab, size } = layout
  const id = useId()
  const tabId = (one: Tab): string => `${id}-${one}`
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose()
  }
  return (
    <section
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
      {player && <Transport player={player} onLeave={() => onPlayer(undefined)} />}
      <div className="body" role="tabpanel" id={`${id}-panel`} aria-labelledby={tabId(tab)}>
        <ViewBoundary of={`${tab} ${player === undefined ? session?.id : player.recording.file.id}`}>
          {tab === 'Replay' ? (
            <ReplayView session={session} player={player} snapshots={snapshots} onPlayer={onPlayer} />
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
