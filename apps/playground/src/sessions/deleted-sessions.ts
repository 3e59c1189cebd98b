import { announce } from '../app/announcer.tsx'
import { type Observable, observable } from '../app/observable.ts'
import { toasts } from '../app/toasts.tsx'

/** How long a deleted session can be had back. */
const UNDO_MS = 6000

/** Sessions that are out of sight but not deleted yet. A page that is closed meanwhile keeps them. */
export const hiddenSessions: Observable<ReadonlySet<string>> = observable<ReadonlySet<string>>(new Set())

/** Take a session out of sight, and delete it for good when it was not asked back within a few seconds. */
export function deleteWithUndo(
  session: { id: string; title: string },
  remove: (id: string) => Promise<void>,
  onUndo: () => void,
): void {
  let isWanted = false
  hide(session.id)
  announce(`Deleted ${session.title}`)
  const toastId = toasts.add({
    title: `Deleted “${session.title}”`,
    timeout: UNDO_MS,
    actionProps: {
      children: 'Undo',
      onClick: () => {
        isWanted = true
        toasts.close(toastId)
        onUndo()
      },
    },
    onClose: () => {
      if (isWanted) show(session.id)
      else
        remove(session.id).then(
          () => show(session.id),
          () => failed(session.id),
        )
    },
  })
}

function hide(sessionId: string): void {
  hiddenSessions.set(new Set([...hiddenSessions.get(), sessionId]))
}

function show(sessionId: string): void {
  hiddenSessions.set(new Set([...hiddenSessions.get()].filter((id) => id !== sessionId)))
}

function failed(sessionId: string): void {
  show(sessionId)
  toasts.add({ title: 'The session could not be deleted.' })
}
