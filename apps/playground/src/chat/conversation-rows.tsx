import {
  type ComponentProps,
  createContext,
  type ReactElement,
  type RefObject,
  useContext,
  useLayoutEffect,
  useRef,
} from 'react'
import { Virtualizer } from 'virtua'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { useTurn } from '../app/use-turn.ts'
import { type ConversationPart, keyOf } from './conversation-parts.ts'
import styles from './conversation-rows.module.css'
import { SummaryView } from './summary-view.tsx'
import { TurnView } from './turn-view.tsx'
import { useConversation } from './use-conversation.ts'
import { useKeptRows } from './use-kept-rows.ts'
import { useSoughtPlace } from './use-sought-place.ts'
import type { StickToEnd } from './use-stick-to-end.ts'

interface ConversationRowsProps {
  /** What the rows scroll in. */
  view: StickToEnd
  /** Of the view, in pixels: what stands above the rows. */
  above: number
}

/**
 * The questions and answers of a conversation. Of a long one only those are on the page that one sees, or works with; when
 * older ones come in above, what one reads stays where it is.
 */
export function ConversationRows({ view, above }: ConversationRowsProps): ReactElement {
  const { scroll, follow, leave } = view
  const { shown, places } = useConversation()
  const { parts } = shown
  const growingId = useTurn((turn) => turn.open?.id)
  const isRunning = useTurn((turn) => turn.status === 'running' || turn.status === 'cancelling')
  const hasEarlier = useTurn((turn) => turn.hasEarlier)
  const kept = useKeptRows(parts, scroll, useSoughtPlace(shown, leave))
  const isPrepended = useIsPrepended(parts)
  useToldOfPrepending(scroll, isPrepended ? parts.length : 0)
  // A conversation begins at its end: before rows are chosen for the page, not after the first ones were drawn.
  const count = parts.length
  useLayoutEffect(() => {
    if (count > 0) follow()
  }, [count, follow])
  const draw = (part: ConversationPart, index: number): ReactElement => (
    <ErrorBoundary key={keyOf(part)} fallback={<p>This turn cannot be shown. Its facts are in the inspector’s log.</p>}>
      <div className={styles.row} data-row={keyOf(part)}>
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
      </div>
    </ErrorBoundary>
  )
  return (
    <RowCount value={hasEarlier ? UNKNOWN : parts.length}>
      <Virtualizer
        as={RowList}
        item={RowItem}
        data={parts}
        scrollRef={scroll}
        startMargin={above}
        shift={isPrepended}
        keepMounted={kept}
        onResize={follow}
      >
        {draw}
      </Virtualizer>
    </RowCount>
  )
}

/** How many rows there are, for those that are not on the page too. */
const RowCount = createContext(0)

/** What `aria-setsize` says where nobody knows. */
const UNKNOWN = -1

/** While one scrolls, the library lets nothing be pressed; but a text that grows scrolls, and what stands above it can be used. */
function RowList({ style, ...rest }: ComponentProps<'ol'>): ReactElement {
  return <ol {...rest} className={styles.rows} style={{ ...style, pointerEvents: undefined }} />
}

function RowItem({ index, ...rest }: ComponentProps<'li'> & { index: number }): ReactElement {
  return <li {...rest} aria-posinset={index + 1} aria-setsize={useContext(RowCount)} />
}

/** Whether rows have come in before those that were drawn last. */
function useIsPrepended(parts: readonly ConversationPart[]): boolean {
  const drawn = useRef(parts)
  const before = drawn.current
  useLayoutEffect(() => {
    drawn.current = parts
  }, [parts])
  const isSame = (index: number): boolean => keyAt(parts, index) === keyAt(before, index)
  return parts.length > before.length && !isSame(0) && isSame(-1)
}

/**
 * Tell the library at once where the view is after rows came in above. It counts from where it last heard the view to be, and
 * new rows may be measured before the browser tells: from the very top it would then go back there (virtua 0.54).
 */
function useToldOfPrepending(scroll: RefObject<HTMLElement | null>, count: number): void {
  useLayoutEffect(() => {
    // Behind the commit: it draws what comes into view.
    if (count > 0) queueMicrotask(() => scroll.current?.dispatchEvent(new Event('scroll')))
  }, [scroll, count])
}

function keyAt(parts: readonly ConversationPart[], index: number): string | undefined {
  const part = parts.at(index)
  return part && keyOf(part)
}
