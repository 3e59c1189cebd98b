import ArrowDown from 'lucide-react/icons/arrow-down'
import { type ReactElement, type RefObject, useEffect, useEffectEvent, useMemo } from 'react'
import { useStickToBottom } from 'use-stick-to-bottom'
import { Button } from '../app/button.tsx'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { ScrollRegion } from '../app/scroll-region.tsx'
import { type TurnRecord, useTurnRecords } from '../app/turn-records.ts'
import { useTurn } from '../app/use-turn.ts'
import { ActivityLine } from './activity-line.tsx'
import styles from './conversation.module.css'
import { EmptyState } from './empty-state.tsx'
import { turnBlocks } from './turn-blocks.ts'
import { recordsByBlock } from './turn-places.ts'
import { TurnView } from './turn-view.tsx'

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
          {isEmpty ? <EmptyState /> : <Turns />}
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
  const messages = useTurn((turn) => turn.messages)
  const growingId = useTurn((turn) => turn.open?.id)
  const isRunning = useTurn((turn) => turn.status === 'running' || turn.status === 'cancelling')
  const records = useTurnRecords()
  const blocks = useMemo(() => turnBlocks(messages), [messages])
  const byBlock: ReadonlyMap<string, TurnRecord> = useMemo(() => recordsByBlock(blocks, records), [blocks, records])
  return (
    <>
      {blocks.map((block, index) => (
        <ErrorBoundary
          key={block.key}
          fallback={<p>This turn cannot be shown. Its facts are in the inspector’s log.</p>}
        >
          <TurnView
            block={block}
            record={byBlock.get(block.key)}
            isLast={index === blocks.length - 1 && !isRunning}
            growingId={block.replies.some((reply) => reply.id === growingId) ? growingId : undefined}
          />
        </ErrorBoundary>
      ))}
      <ActivityLine />
    </>
  )
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
  const lastQuestion = useTurn((turn) => turn.messages.findLast((message) => message.role === 'user')?.id)
  const show = useEffectEvent(scrollToBottom)
  useEffect(() => {
    if (lastQuestion !== undefined) show()
  }, [lastQuestion])
}
