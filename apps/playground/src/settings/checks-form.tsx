import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { type ReactElement, type ReactNode, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import { Switch } from '../app/switch.tsx'
import { type CheckSettings, checkSettings, setCheckSettings } from './check-settings.ts'
import checks from './checks-form.module.css'
import styles from './form.module.css'

/** The checks and hooks that can be switched on, each with what it does and what that costs. */
export function ChecksForm(): ReactElement {
  const { guardsQuestions, checksAnswers, timesTools } = useObservable(checkSettings)
  return (
    <div className={styles.form}>
      <p className={checks.intro}>
        They run in this page, around every turn, from your next question on. None is on until you switch it on. What
        each of them did stands in the inspector.
      </p>
      <Item
        title="Personal data in questions"
        isOn={guardsQuestions}
        onChange={(isOn) => setCheckSettings({ guardsQuestions: isOn })}
        words="A guardrail. It looks for e-mail addresses, phone, card and bank numbers in what you write, before a model sees it and before it is stored."
      >
        <OnPersonalData />
      </Item>
      <Item
        title="Words in answers"
        isOn={checksAnswers}
        onChange={(isOn) => setCheckSettings({ checksAnswers: isOn })}
        words="A guardrail. An answer with one of these words is withheld. Every answer is then shown whole, once it has passed, and not while it is written."
      >
        <WordList />
      </Item>
      <Item
        title="How long tools take"
        isOn={timesTools}
        onChange={(isOn) => setCheckSettings({ timesTools: isOn })}
        words="A tool hook. It notes how often each tool ran, and for how long, in the state of the session, which is stored with it. It changes nothing."
      />
      <p className={styles.risk}>
        Guardrails fail closed: if one breaks, what it should have checked is held back. They catch what they are made
        for, and nothing else.
      </p>
    </div>
  )
}

interface ItemProps {
  title: string
  isOn: boolean
  onChange(isOn: boolean): void
  words: string
  children?: ReactNode
}

function Item({ title, isOn, onChange, words, children }: ItemProps): ReactElement {
  const wordsId = useId()
  return (
    <section className={checks.item} aria-label={title}>
      <Switch isOn={isOn} onChange={onChange} describedBy={wordsId}>
        {title}
      </Switch>
      <p id={wordsId} className={checks.words}>
        {words}
      </p>
      {children}
    </section>
  )
}

const ON_PERSONAL_DATA: readonly { value: CheckSettings['onPersonalData']; label: ReactNode }[] = [
  { value: 'mask', label: 'Mask it: the question goes on with [email] in its place' },
  { value: 'hold-back', label: 'Hold the question back' },
]

function OnPersonalData(): ReactElement {
  const { onPersonalData } = useObservable(checkSettings)
  return (
    <RadioGroup
      className={checks.choices}
      aria-label="When there is some"
      value={onPersonalData}
      onValueChange={(next: CheckSettings['onPersonalData']) => setCheckSettings({ onPersonalData: next })}
    >
      {ON_PERSONAL_DATA.map(({ value, label }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
        <label key={value} className={styles.option}>
          <Radio.Root value={value} className={styles.radio}>
            <Radio.Indicator className={styles.dot} />
          </Radio.Root>
          {label}
        </label>
      ))}
    </RadioGroup>
  )
}

function WordList(): ReactElement {
  const { words } = useObservable(checkSettings)
  const id = useId()
  return (
    <div className={`${styles.field} ${checks.list}`}>
      <label htmlFor={id}>Words</label>
      <input
        id={id}
        className={styles.input}
        value={words}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        onChange={(event) => setCheckSettings({ words: event.target.value })}
      />
      <p id={`${id}-hint`} className={styles.hint}>
        With commas between them; <code>guess*</code> stands for all words that begin so. With no word here, nothing is
        withheld.
      </p>
    </div>
  )
}
