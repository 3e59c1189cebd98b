import { AlertDialog } from '@base-ui/react/alert-dialog'
import type { ReactElement } from 'react'
import { outsideRequests } from '../tools/offer-tools.ts'
import { buttonClass } from './button.tsx'
import dialog from './confirm.module.css'
import { useObservable } from './observable.ts'
import styles from './outside-request.module.css'

/** Asks the person what the agent of the browser wants to do. Leaving it is a no. */
export function OutsideRequestDialog(): ReactElement {
  const [request] = useObservable(outsideRequests)
  return (
    <AlertDialog.Root open={request !== undefined} onOpenChange={(isOpen) => !isOpen && request?.decide(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialog.backdrop} forceRender />
        <AlertDialog.Popup className={dialog.popup}>
          <AlertDialog.Title className={dialog.title}>Allow {request?.toolName}?</AlertDialog.Title>
          <AlertDialog.Description className={dialog.words}>
            An agent outside of this page wants to run it with these arguments.
          </AlertDialog.Description>
          <dl className={styles.pairs}>
            {Object.entries(request?.input ?? {}).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
          <div className={dialog.actions}>
            <AlertDialog.Close className={buttonClass()}>Deny</AlertDialog.Close>
            <AlertDialog.Close className={buttonClass({ look: 'primary' })} onClick={() => request?.decide(true)}>
              Allow
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
