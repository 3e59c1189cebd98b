import { Tooltip } from '@base-ui/react/tooltip'
import type { ComponentProps, ReactElement, ReactNode } from 'react'
import styles from './icon-button.module.css'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  /** What it does, in words: its name for everyone who does not see the icon, and its tooltip. */
  label: string
  /** The key that does the same, shown in the tooltip. */
  keyHint?: string
  children?: ReactNode
}

/** A button that is only an icon, with a name and a tooltip. */
export function IconButton(props: IconButtonProps): ReactElement {
  const { label, keyHint, className, children, type = 'button', disabled, ...rest } = props
  const name = [styles.button, className].filter(Boolean).join(' ')
  return (
    <Tooltip.Root>
      {/* On the trigger `disabled` would only silence the tooltip. */}
      <Tooltip.Trigger
        aria-label={label}
        className={name}
        {...rest}
        render={<button type={type} disabled={disabled} />}
      >
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6}>
          <Tooltip.Popup className={styles.tooltip}>
            {label}
            {keyHint && <kbd className={styles.key}>{keyHint}</kbd>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
