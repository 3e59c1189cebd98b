import type { Session } from '@turnloop/core'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useSession } from '../agent-provider.tsx'
import { useSelected } from '../use-selected.ts'
import { Icon } from './icon.tsx'
import { Panel } from './panel.tsx'
import { type Dock, keepLayout, type PanelLayout, startLayout } from './panel-layout.ts'
import { SessionRecorder } from './session-recorder.ts'
import { ShadowHost } from './shadow-host.tsx'
import { useReplay } from './use-replay.ts'

/** Options of `<TurnloopDevtools>`. Those about the beginning count once. */
export interface TurnloopDevtoolsProps {
  /** The session to look at: `useAgentTurn(…).session`, or what `openSession` gave. May still be missing. */
  session?: Session | undefined
  /** Without a `session`: the conversation of this id, of the `<AgentProvider>` around this. It is opened, as `useSession` does. */
  sessionId?: string
  /** Whether the panel begins open. Default `false`. */
  initialIsOpen?: boolean
  /** At which edge it stands the first time; then where it was left. Default `'bottom'`; a narrow window has it there anyway. */
  initialDock?: Dock
  /** Where its button stands while it is closed. `'none'`: the page mounts this when it is wanted. Default `'bottom-right'`. */
  button?: 'bottom-right' | 'bottom-left' | 'top-right' | 'top-left' | 'none'
  /** Default `'auto'`: the colour scheme of the page if it says one, or else of the system. */
  theme?: 'auto' | 'light' | 'dark'
  /** How many snapshots are kept while it is open. Default 200. */
  snapshots?: number
  /** Told when the panel was opened or closed. */
  onOpenChange?: (isOpen: boolean) => void
}

/**
 * A panel that shows what a session does: its turns drawn in time, its log, its snapshots and what changed between them, and
 * exported sessions played again.
 *
 * It changes nothing in the session. It lies over the page, and says how much of the window it takes in two custom properties of
 * the root element, for a page that makes room: `--turnloop-devtools-bottom` and `--turnloop-devtools-right`. Its edge, size and tab
 * are kept in `localStorage`. It stands in a shadow root, so that its styles and the page's keep apart, and needs no
 * `unsafe-inline`. A server renders nothing. Closed, it keeps about a thousand live events (hooks, retries, failed saves), and no
 * snapshots; not mounted, it does nothing at all: load it by `import()`, so that only developers download it.
 *
 * Throws `bad-option` for a `sessionId` without an `<AgentProvider>`.
 */
export function TurnloopDevtools(props: TurnloopDevtoolsProps): ReactNode {
  const isInPage = useSyncExternalStore(never, inPage, onServer)
  if (!isInPage) return null
  const { session, sessionId } = props
  if (session === undefined && sessionId !== undefined) return <ProvidedDevtools {...props} sessionId={sessionId} />
  return <Devtools {...props} session={session} />
}

const never = (): (() => void) => () => {}
const inPage = (): boolean => true
const onServer = (): boolean => false

function ProvidedDevtools({ sessionId, ...props }: TurnloopDevtoolsProps & { sessionId: string }): ReactNode {
  const session = useSession(sessionId, (turn) => turn.session)
  return <Devtools {...props} session={session} />
}

function Devtools(props: TurnloopDevtoolsProps & { session: Session | undefined }): ReactNode {
  const { session, initialIsOpen = false, initialDock = 'bottom', snapshots = 200 } = props
  const { button = 'bottom-right', theme = 'auto', onOpenChange } = props
  const recorder = useRecorder(session, snapshots)
  const [isOpen, setOpen] = useState(initialIsOpen)
  const [layout, setLayout] = useState(() => startLayout(initialDock))
  const replay = useReplay(snapshots)
  const frame = useRef<HTMLDivElement>(null)
  const arrange = (next: PanelLayout): void => {
    setLayout(next)
    keepLayout(next)
  }
  const change = (next: boolean): void => {
    replay.player?.pause()
    setOpen(next)
    onOpenChange?.(next)
  }
  useFocusAfter(frame, isOpen)
  return (
    <ShadowHost theme={theme}>
      <div ref={frame}>
        {isOpen ? (
          <Panel
            session={session}
            recorder={recorder}
            layout={layout}
            onLayout={arrange}
            replay={replay}
            onClose={() => change(false)}
          />
        ) : (
          button !== 'none' && <Launch session={session} place={button} onOpen={() => change(true)} />
        )}
      </div>
    </ShadowHost>
  )
}

function useRecorder(session: Session | undefined, snapshots: number): SessionRecorder | undefined {
  const recorder = useMemo(
    () => (session === undefined ? undefined : new SessionRecorder(session, { snapshots })),
    [session, snapshots],
  )
  useEffect(() => recorder?.start(), [recorder])
  return recorder
}

/** Once the panel was opened or closed by hand, the focus goes where the hand was: to its tab, or to its button. */
function useFocusAfter(frame: RefObject<HTMLDivElement | null>, isOpen: boolean): void {
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current === isOpen) return
    wasOpen.current = isOpen
    frame.current?.querySelector<HTMLElement>(isOpen ? '[role=tab][tabindex="0"]' : '.launch')?.focus()
  }, [frame, isOpen])
}

interface LaunchProps {
  session: Session | undefined
  place: string
  onOpen(): void
}

function Launch({ session, place, onOpen }: LaunchProps): ReactNode {
  return (
    <button type="button" className="launch" data-place={place} aria-label="Open Turnloop devtools" onClick={onOpen}>
      <Icon name="loop" />
      {session && <Pulse session={session} />}
    </button>
  )
}

function Pulse({ session }: { session: Session }): ReactNode {
  const status = useSelected(session, (snapshot) => snapshot.status)
  return <span className="pulse" data-status={status} />
}
