import { Radio } from '@base-ui/react/radio'
import { RadioGroup } from '@base-ui/react/radio-group'
import { type ReactElement, useId } from 'react'
import { useObservable } from '../app/observable.ts'
import { type Preferences, preferences, setPreferences } from '../app/preferences.ts'
import styles from './form.module.css'

const THEMES: readonly { theme: Preferences['theme']; label: string }[] = [
  { theme: 'system', label: 'As the system' },
  { theme: 'light', label: 'Light' },
  { theme: 'dark', label: 'Dark' },
]

/** Light or dark. */
export function Appearance(): ReactElement {
  const { theme } = useObservable(preferences)
  const titleId = useId()
  return (
    <div className={styles.form}>
      <h3 id={titleId} className={styles.title}>
        Colours
      </h3>
      <RadioGroup
        className={styles.options}
        aria-labelledby={titleId}
        value={theme}
        onValueChange={(next: Preferences['theme']) => setPreferences({ theme: next })}
      >
        {THEMES.map(({ theme: name, label }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the radio inside is the control
          <label key={name} className={styles.option}>
            <Radio.Root value={name} className={styles.radio}>
              <Radio.Indicator className={styles.dot} />
            </Radio.Root>
            {label}
          </label>
        ))}
      </RadioGroup>
    </div>
  )
}
