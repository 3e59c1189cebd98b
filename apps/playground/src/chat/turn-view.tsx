import { type AssistantMessage, shallowEqual } from '@turnloop/core'
import { type MemoExoticComponent, memo, type ReactElement } from 'react'
import type { TurnRecord } from '../app/turn-records.ts'
import { questionName } from '../attachments/attached-parts.ts'
import { Comments } from './comments.tsx'
import { isErased } from './erased.ts'
import { OutcomeNote } from './outcome-note.tsx'
import { isHeldBack, Question } from './question.tsx'
import { Reply } from './reply.tsx'
import { isSameBlock, type TurnBlock } from './turn-blocks.ts'
import { TurnFooter } from './turn-footer.tsx'
import styles from './turn-view.module.css'
import type { Versions } from './versions.ts'

interface TurnViewProps {
  block: TurnBlock
  /** The turn that answered it last; absent while nothing of it is in the log. */
  record: TurnRecord | undefined
  /** What was asked in its place at other times. */
  versions: Versions | undefined
  /** Only the last question can be asked again. */
  isLast: boolean
  /** The reply that is growing, if it is in this block. */
  growingId: string | undefined
}

/** One question and its answer. Does not render again while another one grows. */
export const TurnView: MemoExoticComponent<(props: TurnViewProps) => ReactElement> = memo(
  ({ block, record, versions, isLast, growingId }: TurnViewProps): ReactElement => (
    <article className={styles.turn} aria-label={nameOf(block)}>
      <h2 className="unseen">{nameOf(block)}</h2>
      {block.user && <Question message={block.user} versions={versions} />}
      <div className={styles.answer}>
        {shownReplies(block, record).map((reply) => (
          <Reply key={reply.id} message={reply} isGrowing={reply.id === growingId} />
        ))}
        {record?.outcome && <OutcomeNote record={record} outcome={record.outcome} isLast={isLast} />}
        {record?.outcome && record.outcome.kind !== 'awaiting' && <TurnFooter record={record} block={block} />}
      </div>
      <Comments comments={block.comments ?? []} />
    </article>
  ),
  (before, after) =>
    isSameBlock(before.block, after.block) &&
    before.record === after.record &&
    shallowEqual(before.versions, after.versions) &&
    before.isLast === after.isLast &&
    before.growingId === after.growingId,
)

function nameOf({ user, replies }: TurnBlock): string {
  if (user === undefined) return replies.length === 0 ? 'Comments' : 'Answer'
  if (isErased(user)) return 'Question that was erased'
  return isHeldBack(user) ? 'Question that was held back' : `Question: ${questionName(user)}`
}

/** All replies, apart from what stands for one that was withheld: how its turn ended says more. One line tells of those erased in a row. */
function shownReplies(block: TurnBlock, record: TurnRecord | undefined): readonly AssistantMessage[] {
  const replies = block.replies.filter((reply, index, all) => {
    const before = all[index - 1]
    return !isErased(reply) || before === undefined || !isErased(before)
  })
  if (record?.outcome?.kind !== 'blocked') return replies
  return replies.filter(({ id, synthetic }) => synthetic !== 'blocked' || !record.messageIds.includes(id))
}
