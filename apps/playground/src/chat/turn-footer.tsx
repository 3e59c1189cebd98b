import { messageText } from '@turnloop/core'
import type { ReactElement } from 'react'
import { formatCost, tokenWords } from '../app/cost.ts'
import { formatDuration, plural } from '../app/format.ts'
import { useObservable } from '../app/observable.ts'
import { togglePane } from '../app/panes.ts'
import { preferences } from '../app/preferences.ts'
import { isResumed, type TurnRecord } from '../app/turn-records.ts'
import { useIsNarrow } from '../app/use-is-narrow.ts'
import { selectTurn } from '../inspector/selected-turn.ts'
import { modelPrices } from '../settings/model-prices.ts'
import { turnCost } from '../settings/turn-cost.ts'
import { AnswerActions } from './answer-actions.tsx'
import { CopyButton } from './copy-button.tsx'
import { isErased } from './erased.ts'
import { outcomeWord } from './outcome-words.ts'
import type { TurnBlock } from './turn-blocks.ts'
import styles from './turn-footer.module.css'

interface TurnFooterProps {
  record: TurnRecord
  block: TurnBlock
}

/** Under an answer: what it took, leading to the inspector, and what can be done with it. Takes the place of the activity line. */
export function TurnFooter({ record, block }: TurnFooterProps): ReactElement {
  const isNarrow = useIsNarrow()
  const cost = turnCost(record, useObservable(modelPrices))
  const inspect = (): void => {
    selectTurn(record.turnId)
    if (isNarrow || !preferences.get().inspectorOpen) togglePane('inspector', isNarrow)
  }
  const answers = block.replies.filter((reply) => reply.synthetic !== 'blocked' && !isErased(reply)).map(messageText)
  const hasText = answers.some((text) => text.trim() !== '')
  return (
    <footer className={styles.footer}>
      <button type="button" className={styles.facts} onClick={inspect} title="Show this turn in the inspector">
        {turnFacts(record, cost)}
      </button>
      {hasText && <CopyButton label="Copy answer" text={() => answers.join('\n\n').trim()} />}
      <AnswerActions block={block} record={record} />
    </footer>
  )
}

function turnFacts(record: TurnRecord, cost: number | undefined): string {
  const modelCalls = record.entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant')
  const toolCalls = record.entries.filter((entry) => entry.type === 'tool-settled' && entry.late !== true)
  const failedHooks = record.entries.find((entry) => entry.type === 'turn-ended')?.hookErrors?.length ?? 0
  const facts = [
    record.outcome !== undefined && record.outcome.kind !== 'completed' && outcomeWord(record.outcome),
    isResumed(record) && 'resumed after a reload',
    record.endedAt !== undefined && formatDuration(record.endedAt - record.startedAt),
    modelCalls.length > 0 && plural(modelCalls.length, 'model call'),
    toolCalls.length > 0 && plural(toolCalls.length, 'tool'),
    failedHooks > 0 && `${plural(failedHooks, 'hook')} failed`,
    record.usage && tokenWords(record.usage),
    cost !== undefined && formatCost(cost),
  ]
  return facts
    .flatMap((fact) => fact || [])
    .map(unbroken)
    .join(' · ')
}

const LONGEST_UNBROKEN = 40

/** A fact breaks before its neighbour rather than in itself, where a line has room for it. */
function unbroken(fact: string): string {
  return fact.length <= LONGEST_UNBROKEN ? fact.replaceAll(' ', '\u00a0') : fact
}
