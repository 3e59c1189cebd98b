import type { ComponentProps, ReactElement } from 'react'
import styles from './button.module.css'

interface ButtonProps extends ComponentProps<'button'> {
  /** `plain` has a hairline, `quiet` nothing until it is pointed at. */
  look?: 'plain' | 'primary' | 'quiet' | 'danger'
  size?: 'normal' | 'small'
}

/** A button with words. */
export function Button({ look = 'plain', size = 'normal', className, ...rest }: ButtonProps): ReactElement {
  return <button type="button" className={buttonClass({ look, size }, className)} {...rest} />
}

/** The classes of a button, for parts that bring their own element. */
export function buttonClass(style: Pick<ButtonProps, 'look' | 'size'> = {}, extra?: string): string {
  const names = [styles.button, styles[style.look ?? 'plain'], style.size === 'small' ? styles.small : '', extra]
  return names.filter(Boolean).join(' ')
}
