import { Tooltip } from '@base-ui/react/tooltip'
import { type ComponentProps, type ReactElement, type ReactNode, useRef } from 'react'
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
  const tooltip = useRef<Tooltip.Root.Actions>(null)
  // It hides the tooltip, and does what it does elsewhere as well: it stops a turn though the pointer rests on Stop.
  const leaveEscape = (_: boolean, details: Tooltip.Root.ChangeEventDetails): void => {
    if (details.reason !== 'escape-key') return
    details.cancel()
    details.allowPropagation()
    tooltip.current?.close()
  }
  return (
    <Tooltip.Root actionsRef={tooltip} onOpenChange={leaveEscape}>
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
