import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import Loader from 'lucide-react/icons/loader'
import X from 'lucide-react/icons/x'
import type { ReactElement, ReactNode } from 'react'
import { IconButton } from '../app/icon-button.tsx'
import styles from './notice.module.css'

const ICONS = { bad: CircleAlert, warn: CircleAlert, good: CircleCheck, info: Info, busy: Loader }

interface NoticeProps {
  tone: keyof typeof ICONS
  children: ReactNode
  onDismiss?: (() => void) | undefined
}

/** A line above the composer about something that just happened or that one should know before writing on. */
export function Notice({ tone, children, onDismiss }: NoticeProps): ReactElement {
  const Icon = ICONS[tone]
  return (
    <div className={styles.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon className={styles.icon} size={15} aria-hidden="true" />
      <div className={styles.words}>{children}</div>
      {onDismiss && (
        <IconButton label="Dismiss" className={styles.dismiss} onClick={onDismiss}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      )}
    </div>
  )
}
