import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { type ReactElement, useEffect, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import { BrowserModelFields } from './browser-model-fields.tsx'
import { browserModelDownload } from './browser-model-state.ts'
import { FileModelFields } from './file-model-fields.tsx'
import styles from './form.module.css'
import { isRemote, type ModelKind, modelChoice, setModelChoice } from './model-choice.ts'
import { destination, MODEL_KINDS, type ModelKindWords } from './model-kinds.ts'
import { PriceFields } from './price-fields.tsx'
import { RemoteModelFields } from './remote-model-fields.tsx'

/** Which model answers, and what it needs for that. */
export function ModelSettingsForm(): ReactElement {
  const choice = useObservable(modelChoice)
  const titleId = useId()
  // Whether the browser offers its model may have changed since the last look.
  useEffect(() => void browserModelDownload.check(), [])
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
        {MODEL_KINDS.map((words) => (
          <KindOption key={words.kind} words={words} />
        ))}
      </RadioGroup>
      <KindFields kind={choice.kind} />
      {isRemote(choice.kind) && <PriceFields key={choice.kind} modelId={choice.remote[choice.kind].modelId.trim()} />}
      <p className={styles.risk}>{riskWords(destination(choice))}</p>
    </div>
  )
}

function KindOption({ words: { kind, label, description } }: { words: ModelKindWords }): ReactElement {
  const browser = useObservable(browserModelDownload.state)
  const reason = kind === 'browser' && browser.kind === 'unavailable' ? browser.reason : undefined
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
    <label className={styles.option} data-disabled={reason !== undefined || undefined}>
      <Radio.Root value={kind} className={styles.radio} disabled={reason !== undefined}>
        <Radio.Indicator className={styles.dot} />
      </Radio.Root>
      <span>
        {label}
        <span className={styles.hint}>{reason ?? description}</span>
      </span>
    </label>
  )
}

function KindFields({ kind }: { kind: ModelKind }): ReactElement {
  if (isRemote(kind)) return <RemoteModelFields kind={kind} />
  switch (kind) {
    case 'practice':
      return <PracticeFields />
    case 'browser':
      return <BrowserModelFields />
    case 'file':
      return <FileModelFields />
  }
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
