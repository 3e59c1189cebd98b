import ArrowDown from 'lucide-react/icons/arrow-down'
import { type ReactElement, useEffect, useEffectEvent } from 'react'
import { Button } from '../app/button.tsx'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { useTurn } from '../app/use-turn.ts'
import { ActivityLine } from './activity-line.tsx'
import styles from './conversation.module.css'
import { ConversationRows } from './conversation-rows.tsx'
import { EmptyState } from './empty-state.tsx'
import { SetAsideNote } from './set-aside-note.tsx'
import { isQuestion } from './turn-blocks.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** What stands above the first row, as in the styles: always the same, so that nothing moves when the button there goes. */
const ABOVE_PX = 44

/** The transcript. The view stays at its end only while the reader is there. */
export function Conversation(): ReactElement {
  const view = useStickToEnd()
  const isEmpty = useTurn((turn) => turn.messages.length === 0)
  const isLoading = useTurn((turn) => turn.status === 'loading')
  useFollowOwnQuestion(view.toEnd)
  return (
    <div className={styles.frame} data-conversation>
      <ScrollRegion name="Conversation" className={styles.scroll} ref={view.scroll}>
        <div className={styles.content} data-empty={(isEmpty && !isLoading) || undefined}>
          <OlderMessages />
          {!isEmpty && <ConversationRows view={view} above={ABOVE_PX} />}
          {!isLoading && <SetAsideNote />}
          {isEmpty ? !isLoading && <EmptyState /> : <ActivityLine />}
        </div>
      </ScrollRegion>
      {!view.isAtEnd && !isEmpty && (
        <Button className={styles.latest} size="small" onClick={view.toEnd}>
          <ArrowDown size={14} aria-hidden="true" />
          Jump to latest
        </Button>
      )}
    </div>
  )
}

/** Of a long conversation the end is shown first. */
function OlderMessages(): ReactElement | null {
  const hasEarlier = useTurn((turn) => turn.hasEarlier)
  const loadEarlier = useTurn((turn) => turn.loadEarlier)
  // A store that cannot be read says so in the storage notice.
  const show = (): void => void loadEarlier().catch(() => {})
  return hasEarlier ? (
    <Button className={styles.older} size="small" look="quiet" onClick={show}>
      Show older messages
    </Button>
  ) : null
}

/** A question of one's own is always shown, wherever one was reading. */
function useFollowOwnQuestion(toEnd: () => void): void {
  const lastQuestion = useTurn((turn) => turn.messages.findLast(isQuestion)?.id)
  const show = useEffectEvent(toEnd)
  useEffect(() => {
    if (lastQuestion !== undefined) show()
  }, [lastQuestion])
}
