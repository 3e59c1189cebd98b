import { Toast } from '@base-ui/react/toast'
import X from 'lucide-react/icons/x'
import type { ReactElement, ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import styles from './toasts.module.css'

/** Queues short notices from anywhere; they are read out politely and go by themselves. */
export const toasts: ReturnType<typeof Toast.createToastManager> = Toast.createToastManager()

/** The place where notices appear. */
export function Toasts({ children }: { children: ReactNode }): ReactElement {
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label="Notices">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList(): ReactElement[] {
  const { toasts: shown } = Toast.useToastManager()
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast} swipeDirection="up">
      <Toast.Content className={styles.content}>
        <Toast.Title className={styles.title} />
        <Toast.Action className={buttonClass({ look: 'quiet', size: 'small' }, styles.action)} />
        <Toast.Close className={styles.close} aria-label="Dismiss">
          <X size={14} />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
