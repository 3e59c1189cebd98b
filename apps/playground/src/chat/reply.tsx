import { type AssistantMessage, messageText } from '@turnloop/core'
import Eraser from 'lucide-react/icons/eraser'
import type { ReactElement } from 'react'
import { isErased } from './erased.ts'
import { messageAnchor } from './places.ts'
import { Reasoning } from './reasoning.tsx'
import { type ReplySegment, replySegments } from './reply-segments.ts'
import { ReplyText } from './reply-text.tsx'
import { ToolGroup } from './tool-group.tsx'
import styles from './turn-view.module.css'

/** One message of the model: its text, its reasoning folded, its tool calls as lines; or what stands for one that was withheld or erased. */
export function Reply({ message, isGrowing }: { message: AssistantMessage; isGrowing: boolean }): ReactElement {
  return (
    <div className={styles.reply} id={messageAnchor(message.id)}>
      {isErased(message) ? (
        <p className={styles.erased}>
          <Eraser size={15} aria-hidden="true" />
          Answer erased
        </p>
      ) : message.synthetic === 'blocked' ? (
        <p className={styles.withheld}>{messageText(message)}</p>
      ) : (
        replySegments(message.content).map((segment) => (
          <Segment key={segment.key} segment={segment} isGrowing={isGrowing} />
        ))
      )}
    </div>
  )
}

function Segment({ segment, isGrowing }: { segment: ReplySegment; isGrowing: boolean }): ReactElement {
  switch (segment.kind) {
    case 'text':
      return <ReplyText text={segment.text} isGrowing={isGrowing} />
    case 'reasoning':
      return <Reasoning text={segment.text} isGrowing={isGrowing && segment.isLast} />
    case 'calls':
      return <ToolGroup calls={segment.calls} />
    case 'source':
      return (
        <a className={styles.source} href={segment.url} target="_blank" rel="noopener noreferrer">
          {segment.title}
        </a>
      )
  }
}
