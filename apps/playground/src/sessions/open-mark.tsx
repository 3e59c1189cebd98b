import type { SessionHead, SessionStore } from '@turnloop/core'
import Hand from 'lucide-react/icons/hand'
import { type ReactElement, useEffect, useState } from 'react'
import { usePlayground } from '../app/playground-context.ts'
import styles from './session-list.module.css'

/** The sign of a session whose turn has not ended: it works, or it waits for a person. */
export function OpenMark({ session }: { session: SessionHead }): ReactElement | null {
  const isWaiting = useIsWaiting(session)
  if (session.openTurnId === undefined) return null
  if (!isWaiting) return <span className={styles.running} role="img" aria-label="not finished" />
  return (
    <span className={styles.waiting} role="img" aria-label="waits for you">
      <Hand size={13} aria-hidden="true" />
    </span>
  )
}

/** Whether a session waits for a person. Its head does not tell, so the end of its log is read, once per change. */
function useIsWaiting({ id, openTurnId, lastSequence }: SessionHead): boolean {
  const { store } = usePlayground()
  const [isWaiting, setWaiting] = useState(false)
  useEffect(() => {
    let isShown = true
    const end = openTurnId === undefined ? Promise.resolve(false) : endsWaiting(store, { id, lastSequence })
    end.then((found) => isShown && setWaiting(found))
    return () => {
      isShown = false
    }
  }, [store, id, openTurnId, lastSequence])
  return isWaiting
}

/** Never rejects: a log that cannot be read shows the plain sign. */
async function endsWaiting(store: SessionStore, head: Pick<SessionHead, 'id' | 'lastSequence'>): Promise<boolean> {
  try {
    const entries = await store.read(head.id, { before: head.lastSequence + 1, limit: LOOKED_AT })
    // What belongs to no turn, a new title, may follow.
    return entries.findLast(({ turnId }) => turnId !== undefined)?.type === 'turn-paused'
  } catch {
    return false
  }
}

const LOOKED_AT = 10
