import { Tooltip } from '@base-ui/react/tooltip'
import { type ReactElement, useEffect, useMemo } from 'react'
import { ChatPane } from '../chat/chat-pane.tsx'
import { DropZone } from '../chat/drop-zone.tsx'
import { DeveloperTools } from '../devtools/developer-tools.tsx'
import { playgroundHooks } from '../hooks/playground-hooks.ts'
import { InspectorPane } from '../inspector/inspector-pane.tsx'
import { VersionToast } from '../offline/version-toast.tsx'
import { CommandPalette } from '../palette/command-palette.tsx'
import { SessionsPane } from '../sessions/sessions-pane.tsx'
import { UnsavedSessions } from '../sessions/unsaved-sessions.tsx'
import { checkSettings } from '../settings/check-settings.ts'
import { SettingsDialog } from '../settings/settings-dialog.tsx'
import { toolSettings } from '../settings/tool-settings.ts'
import { offerTools } from '../tools/offer-tools.ts'
import { Announcer } from './announcer.tsx'
import styles from './app.module.css'
import { ErrorBoundary } from './error-boundary.tsx'
import { useObservable } from './observable.ts'
import { OutsideRequestDialog } from './outside-request.tsx'
import { type Playground, PlaygroundContext } from './playground-context.ts'
import { preferences } from './preferences.ts'
import { Sheet } from './sheet.tsx'
import { Toasts } from './toasts.tsx'
import { useIsNarrow } from './use-is-narrow.ts'
import { useKeys } from './use-keys.ts'

/** The whole page. What is switched on in the settings counts from the next turn on. */
export function App({ playground }: { playground: Playground }): ReactElement {
  const checks = useObservable(checkSettings)
  const checked = useMemo(
    () => ({ ...playground, agent: playground.agent.with({ hooks: playgroundHooks(checks) }) }),
    [playground, checks],
  )
  const { offersTools } = useObservable(toolSettings)
  useEffect(() => (offersTools ? offerTools(checked.agent) : undefined), [offersTools, checked])
  return (
    <PlaygroundContext value={checked}>
      <Tooltip.Provider delay={500}>
        <Toasts>
          <Panes />
          <SettingsDialog />
          <OutsideRequestDialog />
          <CommandPalette />
          <DeveloperTools />
          <DropZone />
          <Announcer />
          <VersionToast />
          <UnsavedSessions />
        </Toasts>
      </Tooltip.Provider>
    </PlaygroundContext>
  )
}

function Panes(): ReactElement {
  const isNarrow = useIsNarrow()
  const { sessionsOpen, inspectorOpen } = useObservable(preferences)
  useKeys()
  return (
    <div className={styles.app}>
      {!isNarrow && sessionsOpen && (
        <nav className={styles.sessions} aria-label="Sessions and data">
          <SessionsPane />
        </nav>
      )}
      <ChatPane />
      {!isNarrow && inspectorOpen && (
        <aside className={styles.inspector} aria-label="Inspector">
          <Inspector />
        </aside>
      )}
      {isNarrow && (
        <>
          <Sheet pane="sessions" label="Sessions and data">
            <SessionsPane />
          </Sheet>
          <Sheet pane="inspector" label="Inspector">
            <Inspector />
          </Sheet>
        </>
      )}
    </div>
  )
}

function Inspector(): ReactElement {
  return (
    <ErrorBoundary fallback={<p>The inspector cannot be shown. Reload the page to try again.</p>}>
      <InspectorPane />
    </ErrorBoundary>
  )
}
