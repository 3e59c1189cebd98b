import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { type ReactElement, useEffect, useState } from 'react'
import { announce } from '../app/announcer.tsx'
import { IconButton } from '../app/icon-button.tsx'
import { toasts } from '../app/toasts.tsx'
import styles from './copy-button.module.css'

/** Copies text and says so. `text` is asked when it is pressed. */
export function CopyButton({ label, text }: { label: string; text: () => string }): ReactElement {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => {
        setCopied(true)
        announce('Copied')
      },
      () => toasts.add({ title: 'The browser did not allow copying.' }),
    )
  }
  return (
    <IconButton label={isCopied ? 'Copied' : label} className={styles.button} onClick={copy}>
      {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </IconButton>
  )
}
