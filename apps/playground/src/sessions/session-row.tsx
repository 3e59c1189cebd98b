import { Menu } from '@base-ui/react/menu'
import type { SessionHead } from '@turnloop/core'
import { useAgentTurn, useSessions } from '@turnloop/react'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { type ReactElement, useState } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import menu from '../app/menu.module.css'
import { openSheet } from '../app/panes.ts'
import { usePlayground } from '../app/playground-context.ts'
import { goToNewSession, goToSession, sessionHref, useSessionId } from '../app/route.ts'
import { toasts } from '../app/toasts.tsx'
import { deleteWithUndo } from './deleted-sessions.ts'
import { readSession, saveSession } from './export-sessions.ts'
import { titleOfSession } from './group-sessions.ts'
import { focusSession, neighbourOf, SESSION_LINK } from './list-keys.ts'
import { OpenMark } from './open-mark.tsx'
import styles from './session-list.module.css'

/** One past conversation: a link to it, and what can be done with it; F2 renames it, Delete deletes it. */
export function SessionRow({ session }: { session: SessionHead }): ReactElement {
  const [isRenaming, setRenaming] = useState(false)
  const isCurrent = useSessionId() === session.id
  const discard = useDiscard(session)
  const title = titleOfSession(session)
  if (isRenaming) return <RenameRow session={session} onDone={() => setRenaming(false)} />
  return (
    <li className={styles.row} data-current={isCurrent || undefined}>
      <a
        className={styles.link}
        href={sessionHref(session.id)}
        title={title}
        aria-current={isCurrent ? 'page' : undefined}
        aria-keyshortcuts="F2 Delete"
        {...{ [SESSION_LINK]: session.id }}
        onClick={() => openSheet.set(undefined)}
        onKeyDown={({ key }) => {
          if (key === 'F2') setRenaming(true)
          if (key === 'Delete') discard()
        }}
      >
        <span className={styles.title}>{title}</span>
        <OpenMark session={session} />
      </a>
      <RowMenu session={session} onDiscard={discard} onRename={() => setRenaming(true)} />
    </li>
  )
}

/** Takes a session out of sight, to be deleted in a while; the focus goes to its neighbour. */
function useDiscard(session: SessionHead): () => void {
  const { store } = usePlayground()
  const { remove } = useSessions(store)
  const isCurrent = useSessionId() === session.id
  return () => {
    const neighbour = neighbourOf(session.id)
    if (isCurrent) goToNewSession()
    deleteWithUndo({ id: session.id, title: titleOfSession(session) }, remove, () => {
      if (isCurrent) goToSession(session.id)
    })
    if (neighbour !== undefined) focusSession(neighbour)
  }
}

interface RowMenuProps {
  session: SessionHead
  onDiscard(): void
  onRename(): void
}

function RowMenu({ session, onDiscard, onRename }: RowMenuProps): ReactElement {
  const { agent, store } = usePlayground()
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
            <Menu.Item className={menu.item} onClick={() => saveSession(readSession(session.id, { agent, store }))}>
              Export
            </Menu.Item>
            <Menu.Item className={[menu.item, menu.danger].join(' ')} onClick={onDiscard}>
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
          if (event.key !== 'Enter' && event.key !== 'Escape') return
          event.preventDefault()
          event.stopPropagation()
          if (event.key === 'Enter') save()
          else onDone()
          focusSession(session.id)
        }}
      />
    </li>
  )
}
