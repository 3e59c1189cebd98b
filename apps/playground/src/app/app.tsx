import { Tooltip } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import { ChatPane } from '../chat/chat-pane.tsx'
import { DropZone } from '../chat/drop-zone.tsx'
import { InspectorPane } from '../inspector/inspector-pane.tsx'
import { SessionsPane } from '../sessions/sessions-pane.tsx'
import { SettingsDialog } from '../settings/settings-dialog.tsx'
import { Announcer } from './announcer.tsx'
import styles from './app.module.css'
import { ErrorBoundary } from './error-boundary.tsx'
import { useObservable } from './observable.ts'
import { type Playground, PlaygroundContext } from './playground-context.ts'
import { preferences } from './preferences.ts'
import { Sheet } from './sheet.tsx'
import { Toasts } from './toasts.tsx'
import { useKeys } from './use-keys.ts'
import { useIsNarrow } from './use-media.ts'

/** The whole page. */
export function App({ playground }: { playground: Playground }): ReactElement {
  return (
    <PlaygroundContext value={playground}>
      <Tooltip.Provider delay={500}>
        <Toasts>
          <Panes />
          <SettingsDialog />
          <DropZone />
          <Announcer />
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
          <ErrorBoundary fallback={<p>The inspector cannot be shown. Reload the page to try again.</p>}>
            <InspectorPane />
          </ErrorBoundary>
        </aside>
      )}
      {isNarrow && (
        <>
          <Sheet pane="sessions" label="Sessions and data">
            <SessionsPane />
          </Sheet>
          <Sheet pane="inspector" label="Inspector">
            <InspectorPane />
          </Sheet>
        </>
      )}
    </div>
  )
}
