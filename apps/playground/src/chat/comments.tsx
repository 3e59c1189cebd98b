import { messageText, type UserMessage } from '@turnloop/core'
import Eraser from 'lucide-react/icons/eraser'
import MessageCircle from 'lucide-react/icons/message-circle'
import { type ReactElement, useState } from 'react'
import { formatClock } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import styles from './comments.module.css'
import { EraseDialog, type Erasure } from './erase-dialog.tsx'
import { eraseCommentWords, isErased } from './erased.ts'
import { messageAnchor } from './places.ts'
import { useIsUnderWay } from './use-travel.ts'

/** What people wrote beside an answer, for people: no model sees it. Nothing where there is none. */
export function Comments({ comments }: { comments: readonly UserMessage[] }): ReactElement | null {
  if (comments.length === 0) return null
  return (
    <ul className={styles.comments} aria-label="Comments">
      {comments.map((comment) => (
        <Comment key={comment.id} comment={comment} />
      ))}
    </ul>
  )
}

function Comment({ comment }: { comment: UserMessage }): ReactElement {
  const [erasure, setErasure] = useState<Erasure>()
  const isUnderWay = useIsUnderWay()
  const isGone = isErased(comment)
  return (
    <li className={styles.comment} id={messageAnchor(comment.id)}>
      <MessageCircle className={styles.icon} size={14} aria-hidden="true" />
      <p className={isGone ? styles.gone : styles.text}>{isGone ? 'Comment erased' : messageText(comment)}</p>
      {!isGone && (
        <>
          <time className={styles.time} dateTime={new Date(comment.createdAt).toISOString()}>
            {formatClock(comment.createdAt)}
          </time>
          <IconButton
            label="Erase comment"
            className={styles.erase}
            disabled={isUnderWay}
            onClick={() => setErasure({ messageIds: [comment.id], words: eraseCommentWords(comment) })}
          >
            <Eraser size={14} aria-hidden="true" />
          </IconButton>
          <EraseDialog erasure={erasure} onDone={() => setErasure(undefined)} />
        </>
      )}
    </li>
  )
}
