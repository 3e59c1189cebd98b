import ArrowDown from 'lucide-react/icons/arrow-down'
import { type ReactElement, type RefObject, useEffect, useEffectEvent } from 'react'
import { useStickToBottom } from 'use-stick-to-bottom'
import { Button } from '../app/button.tsx'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { useTurn } from '../app/use-turn.ts'
import { ActivityLine } from './activity-line.tsx'
import styles from './conversation.module.css'
import { keyOf } from './conversation-parts.ts'
import { EmptyState } from './empty-state.tsx'
import { SetAsideNote } from './set-aside-note.tsx'
import { SummaryView } from './summary-view.tsx'
import { isQuestion } from './turn-blocks.ts'
import { TurnView } from './turn-view.tsx'
import { useConversation } from './use-conversation.ts'

/** The transcript. The view stays at its end only while the reader is there. */
export function Conversation(): ReactElement {
  const { scrollRef, contentRef, isAtBottom, scrollToBottom, state } = useStickToBottom({
    resize: 'instant',
    initial: 'instant',
  })
  useStayAtEnd(scrollRef, () => state.isAtBottom && scrollToBottom('instant'))
  const isEmpty = useTurn((turn) => turn.status !== 'loading' && turn.messages.length === 0)
  useFollowOwnQuestion(scrollToBottom)
  return (
    <div className={styles.frame}>
      <ScrollRegion name="Conversation" className={styles.scroll} ref={scrollRef}>
        <div className={styles.content} ref={contentRef} data-empty={isEmpty || undefined}>
          {isEmpty ? (
            <>
              <SetAsideNote />
              <EmptyState />
            </>
          ) : (
            <Turns />
          )}
        </div>
      </ScrollRegion>
      {!isAtBottom && !isEmpty && (
        <Button className={styles.latest} size="small" onClick={() => scrollToBottom()}>
          <ArrowDown size={14} aria-hidden="true" />
          Jump to latest
        </Button>
      )}
    </div>
  )
}

function Turns(): ReactElement {
  const { parts, places } = useConversation()
  const growingId = useTurn((turn) => turn.open?.id)
  const isRunning = useTurn((turn) => turn.status === 'running' || turn.status === 'cancelling')
  return (
    <>
      <OlderMessages />
      {parts.map((part, index) => (
        <ErrorBoundary
          key={keyOf(part)}
          fallback={<p>This turn cannot be shown. Its facts are in the inspector’s log.</p>}
        >
          {part.kind === 'summary' ? (
            <SummaryView summary={part.summary} places={places} />
          ) : (
            <TurnView
              block={part.block}
              {...places.of(part.block)}
              isLast={index === parts.length - 1 && !isRunning}
              growingId={part.block.replies.some((reply) => reply.id === growingId) ? growingId : undefined}
            />
          )}
        </ErrorBoundary>
      ))}
      <SetAsideNote />
      <ActivityLine />
    </>
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

/** What opens below the transcript takes room from it; a reader at its end stays there. */
function useStayAtEnd(scroll: RefObject<HTMLElement | null>, stay: () => unknown): void {
  const onResize = useEffectEvent(stay)
  useEffect(() => {
    if (scroll.current === null) return
    const observer = new ResizeObserver(() => onResize())
    observer.observe(scroll.current)
    return () => observer.disconnect()
  }, [scroll])
}

/** A question of one's own is always shown, wherever one was reading. */
function useFollowOwnQuestion(scrollToBottom: () => unknown): void {
  const lastQuestion = useTurn((turn) => turn.messages.findLast(isQuestion)?.id)
  const show = useEffectEvent(scrollToBottom)
  useEffect(() => {
    if (lastQuestion !== undefined) show()
  }, [lastQuestion])
}
