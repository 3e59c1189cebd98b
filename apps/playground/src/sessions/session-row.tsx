import { Menu } from '@base-ui/react/menu'
import type { SessionHead } from '@turnloop/core'
import { useAgentTurn, useSessions } from '@turnloop/react'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { type ReactElement, useState } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import menu from '../app/menu.module.css'
import { openSheet } from '../app/panes.ts'
import { usePlayground } from '../app/playground-context.ts'
import { goToNewSession, sessionHref, useSessionId } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { deleteWithUndo } from './deleted-sessions.ts'
import { titleOfSession } from './group-sessions.ts'
import { OpenMark } from './open-mark.tsx'
import styles from './session-list.module.css'

/** One past conversation: a link to it, and what can be done with it. */
export function SessionRow({ session }: { session: SessionHead }): ReactElement {
  const [isRenaming, setRenaming] = useState(false)
  const isCurrent = useSessionId() === session.id
  if (isRenaming) return <RenameRow session={session} onDone={() => setRenaming(false)} />
  return (
    <li className={styles.row} data-current={isCurrent || undefined}>
      <a
        className={styles.link}
        href={sessionHref(session.id)}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => openSheet.set(undefined)}
      >
        <span className={styles.title}>{titleOfSession(session)}</span>
        <OpenMark session={session} />
      </a>
      <RowMenu session={session} isCurrent={isCurrent} onRename={() => setRenaming(true)} />
    </li>
  )
}

interface RowMenuProps {
  session: SessionHead
  isCurrent: boolean
  onRename(): void
}

function RowMenu({ session, isCurrent, onRename }: RowMenuProps): ReactElement {
  const { store } = usePlayground()
  const { remove } = useSessions(store)
  const discard = (): void => {
    if (isCurrent) goToNewSession()
    deleteWithUndo({ id: session.id, title: titleOfSession(session) }, remove)
  }
  return (
    <Menu.Root>
      <Menu.Trigger render={<IconButton label={`More for ${titleOfSession(session)}`} className={styles.more} />}>
        <Ellipsis size={15} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={menu.positioner} sideOffset={4} align="end">
          <Menu.Popup className={menu.popup}>
            <Menu.Item className={menu.item} onClick={onRename}>
              Rename
            </Menu.Item>
            <Menu.Item className={[menu.item, menu.danger].join(' ')} onClick={discard}>
              Delete
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function RenameRow({ session, onDone }: { session: SessionHead; onDone: () => void }): ReactElement {
  const { agent, store } = usePlayground()
  const [title, setTitle] = useState(() => session.title ?? '')
  // The session itself writes its title into its log; the hook opens it if this page has not.
  const rename = useAgentTurn(agent, { sessionId: session.id, store }, (turn) => turn.rename)
  const save = (): void => {
    if (title.trim() !== '' && title.trim() !== session.title) {
      rename(title.trim()).catch(() => toasts.add({ title: 'The session could not be renamed.' }))
    }
    onDone()
  }
  return (
    <li className={styles.row}>
      <input
        className={styles.rename}
        aria-label="Title of the session"
        value={title}
        // biome-ignore lint/a11y/noAutofocus: the reader has just asked to rename this session
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save()
          if (event.key === 'Escape') onDone()
          if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault()
        }}
      />
    </li>
  )
}
