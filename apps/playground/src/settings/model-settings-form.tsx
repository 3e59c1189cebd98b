import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { type ReactElement, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import styles from './form.module.css'
import { type ModelKind, modelChoice, setModelChoice } from './model-choice.ts'
import { destination, MODEL_KINDS } from './model-kinds.ts'
import { RemoteModelFields } from './remote-model-fields.tsx'

/** Which model answers, and what it needs for that. */
export function ModelSettingsForm(): ReactElement {
  const choice = useObservable(modelChoice)
  const titleId = useId()
  return (
    <div className={styles.form}>
      <h3 id={titleId} className={styles.title}>
        Who answers
      </h3>
      <RadioGroup
        className={styles.options}
        aria-labelledby={titleId}
        value={choice.kind}
        onValueChange={(kind: ModelKind) => setModelChoice({ kind })}
      >
        {MODEL_KINDS.map(({ kind, label, description }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
          <label key={kind} className={styles.option}>
            <Radio.Root value={kind} className={styles.radio}>
              <Radio.Indicator className={styles.dot} />
            </Radio.Root>
            <span>
              {label}
              <span className={styles.hint}>{description}</span>
            </span>
          </label>
        ))}
      </RadioGroup>
      {choice.kind === 'practice' ? <PracticeFields /> : <RemoteModelFields kind={choice.kind} />}
      <p className={styles.risk}>{riskWords(destination(choice))}</p>
    </div>
  )
}

function riskWords(host: string | undefined): string {
  if (host === undefined) return 'Your questions and your data stay in this browser.'
  return `Your questions, the columns of your tables and the rows that tools return are sent to ${host}, and nowhere else.`
}

function PracticeFields(): ReactElement {
  const { practiceSpeed } = useObservable(modelChoice)
  const speedId = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={speedId}>Pace</label>
      <select
        id={speedId}
        className={styles.input}
        value={practiceSpeed}
        onChange={(event) => setModelChoice({ practiceSpeed: event.target.value === 'full' ? 'full' : 'human' })}
      >
        <option value="human">At reading pace</option>
        <option value="full">At full speed</option>
      </select>
    </div>
  )
}
