import { type ReactElement, useId, useState } from 'react'
import { Button } from '../app/button.tsx'
import { plural } from '../app/format.ts'
import type { Summary } from './conversation-parts.ts'
import type { ConversationPlaces } from './conversation-places.ts'
import { Fold } from './fold.tsx'
import { ReplyText } from './reply-text.tsx'
import styles from './summary-view.module.css'
import type { TurnBlock } from './turn-blocks.ts'
import { TurnView } from './turn-view.tsx'
import { useCompaction } from './use-compaction.ts'

interface SummaryViewProps {
  summary: Summary
  places: ConversationPlaces
}

/** Where a summary stands for earlier messages: those, folded, then a line that opens to what was summarised. */
export function SummaryView({ summary, places }: SummaryViewProps): ReactElement {
  const { text, earlier } = summary
  const [showsMessages, setShowsMessages] = useState(false)
  const [showsText, setShowsText] = useState(false)
  const messagesId = useId()
  const textId = useId()
  return (
    <section className={styles.summary} aria-label="Earlier messages">
      {earlier.count > 0 && (
        <Fold isOpen={showsMessages} controls={messagesId} onToggle={() => setShowsMessages(!showsMessages)}>
          {plural(earlier.count, 'earlier message')}
        </Fold>
      )}
      <div id={messagesId} className={styles.earlier} hidden={!showsMessages}>
        {showsMessages && <EarlierBlocks blocks={earlier.blocks} places={places} />}
      </div>
      <div className={styles.divider}>
        <Fold isOpen={showsText} controls={textId} onToggle={() => setShowsText(!showsText)}>
          Earlier messages are summarised
        </Fold>
        {earlier.isNewest && <Undo />}
      </div>
      <div id={textId} className={styles.text} hidden={!showsText}>
        {showsText && <ReplyText text={text} isGrowing={false} />}
      </div>
    </section>
  )
}

/** As many turns are shown at once, the last ones first: a summary may stand for thousands. */
const STEP = 20

function EarlierBlocks(props: { blocks: readonly TurnBlock[]; places: ConversationPlaces }): ReactElement {
  const { blocks, places } = props
  const [count, setCount] = useState(STEP)
  return (
    <>
      {count < blocks.length && (
        <Button size="small" look="quiet" onClick={() => setCount(count + STEP)}>
          Show older messages
        </Button>
      )}
      {blocks.slice(-count).map((block) => (
        <TurnView key={block.key} block={block} {...places.of(block)} isLast={false} growingId={undefined} />
      ))}
    </>
  )
}

function Undo(): ReactElement {
  const { isBusy, undo } = useCompaction()
  return (
    <Button size="small" look="quiet" disabled={isBusy} title="Bring the earlier messages back" onClick={undo}>
      Undo
    </Button>
  )
}
