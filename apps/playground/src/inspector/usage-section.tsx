import type { Usage } from '@turnloop/core'
import type { ReactElement } from 'react'
import { Button } from '../app/button.tsx'
import { formatCost, sumCosts } from '../app/cost.ts'
import { formatCount } from '../app/format.ts'
import { useObservable } from '../app/observable.ts'
import type { TurnRecord } from '../app/turn-records.ts'
import { useTurn } from '../app/use-turn.ts'
import { modelPrices, type PriceList } from '../settings/model-prices.ts'
import { openSettings } from '../settings/open-settings.ts'
import { isOnDevice, turnCost, turnModel } from '../settings/turn-cost.ts'
import styles from './section.module.css'
import usage from './usage-section.module.css'

interface UsageSectionProps {
  records: readonly TurnRecord[]
  /** The turn that is shown. */
  record: TurnRecord
}

/** Tokens and what they cost: of the turn that is shown, and of the session. Nothing where none were counted. */
export function UsageSection({ records, record }: UsageSectionProps): ReactElement | null {
  const session = useTurn(({ usage, hasEarlier }) => ({ usage, hasEarlier }))
  const prices = useObservable(modelPrices)
  const rows = usageRows(record.usage ?? {}, session.usage)
  if (rows.length === 0) return null
  return (
    <section className={styles.section} aria-label="Usage">
      <table className={usage.table}>
        <thead>
          <tr>
            <th scope="col">Usage</th>
            <th scope="col">this turn</th>
            <th scope="col">{session.hasEarlier ? 'as far as loaded' : 'session'}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ofTurn, ofSession]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{figure(ofTurn)}</td>
              <td>{figure(ofSession)}</td>
            </tr>
          ))}
          <CostRow record={record} records={records} prices={prices} />
        </tbody>
      </table>
      <PriceOffer record={record} prices={prices} />
    </section>
  )
}

type UsageRow = readonly [name: string, ofTurn: number | undefined, ofSession: number | undefined]

function usageRows(ofTurn: Usage, ofSession: Usage): readonly UsageRow[] {
  const rows: readonly UsageRow[] = [
    ['input', ofTurn.inputTokens, ofSession.inputTokens],
    ['from cache', ofTurn.cachedInputTokens, ofSession.cachedInputTokens],
    ['output', ofTurn.outputTokens, ofSession.outputTokens],
    ['for reasoning', ofTurn.reasoningTokens, ofSession.reasoningTokens],
  ]
  // Most providers report a zero for what they do not do.
  return rows.filter(([name, a, b]) => (name === 'input' || name === 'output' ? (a ?? b) !== undefined : a || b))
}

function figure(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count)
}

function CostRow(props: UsageSectionProps & { prices: PriceList }): ReactElement | null {
  const { record, records, prices } = props
  const ofTurn = turnCost(record, prices)
  const ofSession = sumCosts(records.filter((one) => one.usage !== undefined).map((one) => turnCost(one, prices)))
  if (ofTurn === undefined && ofSession === undefined) return null
  return (
    <tr>
      <th scope="row">cost</th>
      <td>{ofTurn === undefined ? '–' : formatCost(ofTurn)}</td>
      <td title={ofSession?.isPartly ? 'Of some turns the price is not known' : undefined}>
        {ofSession === undefined ? '–' : `${ofSession.isPartly ? 'at least ' : ''}${formatCost(ofSession.dollars)}`}
      </td>
    </tr>
  )
}

/** Prices are never made up: where one is missing, it can be filled in. */
function PriceOffer({ record, prices }: { record: TurnRecord; prices: PriceList }): ReactElement | null {
  const modelId = turnModel(record)
  const { input, output } = prices[modelId ?? ''] ?? {}
  const isKnown = input !== undefined && output !== undefined
  if (modelId === undefined || isKnown || isOnDevice(modelId) || record.usage === undefined) return null
  return (
    <Button look="quiet" size="small" className={usage.offer} onClick={() => openSettings('model')}>
      Show costs: give prices
    </Button>
  )
}
