import { messageText, type UserMessage } from '@turnloop/core'
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
    <article className={styles.turn} aria-label={block.user ? `Question: ${messageText(block.user)}` : 'Answer'}>
      {block.user && <Question message={block.user} />}
      <div className={styles.answer}>
        {block.replies.map((reply) => (
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

function Question({ message }: { message: UserMessage }): ReactElement {
  return (
    <p className={styles.question} id={messageAnchor(message.id)}>
      {messageText(message)}
    </p>
  )
}
