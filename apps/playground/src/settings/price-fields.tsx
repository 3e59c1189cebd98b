import { type ReactElement, useId, useState } from 'react'
import type { ModelPrices } from '../app/cost.ts'
import { useObservable } from '../app/observable.ts'
import styles from './form.module.css'
import { modelPrices, setModelPrices } from './model-prices.ts'
import row from './price-fields.module.css'

/** What a model costs, if somebody cares to write it down. */
export function PriceFields({ modelId }: { modelId: string }): ReactElement | null {
  const hintId = useId()
  if (modelId.trim() === '') return null
  return (
    <fieldset className={row.prices} aria-describedby={hintId}>
      <legend className={row.legend}>Prices of {modelId}, if you want to see costs</legend>
      <div className={row.row}>
        <PriceField modelId={modelId} price="input" label="Input" />
        <PriceField modelId={modelId} price="output" label="Output" />
        <PriceField modelId={modelId} price="cachedInput" label="Cached input" />
      </div>
      <p id={hintId} className={styles.hint}>
        In US dollars per million tokens, as your provider lists them. They stay in this browser. Without a price for
        cached input it counts as input.
      </p>
    </fieldset>
  )
}

function PriceField(props: { modelId: string; price: keyof ModelPrices; label: string }): ReactElement {
  const { modelId, price, label } = props
  const id = useId()
  const stored = useObservable(modelPrices)[modelId]?.[price]
  // What is being typed may be no number yet.
  const [typed, setTyped] = useState<string>()
  const change = (text: string): void => {
    setTyped(text)
    const value = Number(text.replace(',', '.'))
    setModelPrices(modelId, { [price]: text.trim() === '' || Number.isNaN(value) || value < 0 ? undefined : value })
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={`${styles.input} ${row.input}`}
        inputMode="decimal"
        autoComplete="off"
        placeholder="none"
        value={typed ?? stored ?? ''}
        onChange={(event) => change(event.target.value)}
        onBlur={() => setTyped(undefined)}
      />
    </div>
  )
}
