import PanelLeft from 'lucide-react/icons/panel-left'
import PanelRight from 'lucide-react/icons/panel-right'
import { type ReactElement, useEffect } from 'react'
import { useFollowedTurns } from '../app/followed-turns.ts'
import { useHookListener } from '../app/hook-notes.ts'
import { IconButton } from '../app/icon-button.tsx'
import { useObservable } from '../app/observable.ts'
import { togglePane } from '../app/panes.ts'
import { useSessionId } from '../app/route.ts'
import { useIsNarrow } from '../app/use-is-narrow.ts'
import { useTurn } from '../app/use-turn.ts'
import { ImportNotice } from '../sessions/import-notice.tsx'
import { openSection } from '../settings/open-settings.ts'
import { AttachNotice } from './attach-notice.tsx'
import styles from './chat-pane.module.css'
import dock from './composer.module.css'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import { DataNotice } from './data-notice.tsx'
import { NoDataNotice } from './no-data-notice.tsx'
import { OfflineNotice } from './offline-notice.tsx'
import { QueuedInputs } from './queued-inputs.tsx'
import { StorageNotice } from './storage-notice.tsx'
import { TurnAnnouncer } from './turn-announcer.tsx'
import { useTitleFromQuestion } from './use-ask.ts'

/** The conversation of the session in the address, with the place to write under it. */
export function ChatPane(): ReactElement {
  const sessionId = useSessionId()
  // There it stands beside the button that was pressed.
  const isInSettings = useObservable(openSection) !== undefined
  useHookListener()
  useFollowedTurns()
  return (
    <main className={styles.pane}>
      <Header />
      <Conversation key={sessionId} />
      <div className={dock.frame}>
        <div className={dock.dock}>
          <StorageNotice key={`storage ${sessionId}`} />
          <OfflineNotice />
          <DataNotice />
          <NoDataNotice />
          <AttachNotice sessionId={sessionId} />
          {!isInSettings && <ImportNotice />}
          <QueuedInputs />
          <Composer key={sessionId} sessionId={sessionId} />
        </div>
      </div>
      <TurnAnnouncer key={`announcer ${sessionId}`} />
    </main>
  )
}

function Header(): ReactElement {
  const isNarrow = useIsNarrow()
  const title = useTurn((turn) => turn.title)
  useTitleFromQuestion()
  useEffect(() => {
    document.title = title === undefined ? 'Ask your data' : `${title} · Ask your data`
  }, [title])
  return (
    <header className={styles.header}>
      <IconButton label="Sessions" keyHint="[" onClick={() => togglePane('sessions', isNarrow)}>
        <PanelLeft size={17} aria-hidden="true" />
      </IconButton>
      <h1 className={styles.title}>{title ?? 'New session'}</h1>
      <div className={styles.end}>
        <ConversationMenu />
        <IconButton label="Inspector" keyHint="]" onClick={() => togglePane('inspector', isNarrow)}>
          <PanelRight size={17} aria-hidden="true" />
        </IconButton>
      </div>
    </header>
  )
}
