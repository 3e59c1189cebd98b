import { type AssistantMessage, messageText, type UserMessage } from '@turnloop/core'
import ShieldAlert from 'lucide-react/icons/shield-alert'
import { type MemoExoticComponent, memo, type ReactElement } from 'react'
import type { TurnRecord } from '../app/turn-records.ts'
import { OutcomeNote } from './outcome-note.tsx'
import { messageAnchor } from './places.ts'
import { Reply } from './reply.tsx'
import { isSameBlock, type TurnBlock } from './turn-blocks.ts'
import { TurnFooter } from './turn-footer.tsx'
import styles from './turn-view.module.css'

export interface TurnViewProps {
  block: TurnBlock
  /** The turn that answered it last; absent while nothing of it is in the log. */
  record: TurnRecord | undefined
  /** Only the last question can be asked again. */
  isLast: boolean
  /** The reply that is growing, if it is in this block. */
  growingId: string | undefined
}

/** One question and its answer. Does not render again while another one grows. */
export const TurnView: MemoExoticComponent<(props: TurnViewProps) => ReactElement> = memo(
  ({ block, record, isLast, growingId }: TurnViewProps): ReactElement => (
    <article className={styles.turn} aria-label={nameOf(block)}>
      {block.user && <Question message={block.user} />}
      <div className={styles.answer}>
        {shownReplies(block, record).map((reply) => (
          <Reply key={reply.id} message={reply} isGrowing={reply.id === growingId} />
        ))}
        {record?.outcome && <OutcomeNote record={record} outcome={record.outcome} isLast={isLast} />}
        {record?.outcome && record.outcome.kind !== 'awaiting' && <TurnFooter record={record} block={block} />}
      </div>
    </article>
  ),
  (before, after) =>
    isSameBlock(before.block, after.block) &&
    before.record === after.record &&
    before.isLast === after.isLast &&
    before.growingId === after.growingId,
)

function nameOf({ user }: TurnBlock): string {
  if (user === undefined) return 'Answer'
  return isHeldBack(user) ? 'Question that was held back' : `Question: ${messageText(user)}`
}

function isHeldBack({ synthetic }: UserMessage): boolean {
  return synthetic === 'blocked'
}

/** All replies, apart from what stands for one that was withheld: how its turn ended says more. */
function shownReplies({ replies }: TurnBlock, record: TurnRecord | undefined): readonly AssistantMessage[] {
  if (record?.outcome?.kind !== 'blocked') return replies
  return replies.filter(({ id, synthetic }) => synthetic !== 'blocked' || !record.messageIds.includes(id))
}

function Question({ message }: { message: UserMessage }): ReactElement {
  const anchor = messageAnchor(message.id)
  if (isHeldBack(message)) {
    return (
      <p className={`${styles.question} ${styles.heldBack}`} id={anchor}>
        <ShieldAlert size={15} aria-hidden="true" />
        Held back
      </p>
    )
  }
  return (
    <p className={styles.question} id={anchor}>
      {messageText(message)}
    </p>
  )
}
