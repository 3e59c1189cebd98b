import { Switch as BaseSwitch } from '@base-ui/react/switch'
import type { ReactElement, ReactNode } from 'react'
import styles from './switch.module.css'

interface SwitchProps {
  /** What it is for: its name, and a press on it counts as one on the switch. */
  children: ReactNode
  isOn: boolean
  onChange(isOn: boolean): void
  isDisabled?: boolean
  /** The id of what says more about it. */
  describedBy?: string
}

/** On or off, at once. The words and the switch at the end of their line are one target. */
export function Switch({ children, isOn, onChange, isDisabled = false, describedBy }: SwitchProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch inside is the control
    <label className={styles.line} data-disabled={isDisabled || undefined}>
      <span className={styles.words}>{children}</span>
      <BaseSwitch.Root
        className={styles.track}
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={onChange}
        aria-describedby={describedBy}
      >
        <BaseSwitch.Thumb className={styles.thumb} />
      </BaseSwitch.Root>
    </label>
  )
}
