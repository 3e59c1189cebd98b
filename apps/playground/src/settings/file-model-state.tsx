import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import type { ReactElement, ReactNode } from 'react'
import { Button } from '../app/button.tsx'
import { formatBytes, formatCount } from '../app/format.ts'
import { useObservable } from '../app/observable.ts'
import { toasts } from '../app/toasts.tsx'
import { askWords, earlierFile, fileModel, reopenEarlierFile, unloadFileModel } from './file-model.ts'
import styles from './file-model-fields.module.css'
import form from './form.module.css'
import { ProgressLine } from './progress-line.tsx'

/** How the model from a file stands, and what can be done with it. Read out as it changes. */
export function FileModelState(): ReactElement {
  return (
    <div role="status" className={styles.state}>
      <State />
    </div>
  )
}

function State(): ReactElement {
  const state = useObservable(fileModel.state)
  switch (state.kind) {
    case 'none':
      return <Earlier />
    case 'loading':
      return (
        <>
          <ProgressLine
            label={state.share < 1 ? `Reading ${state.name}` : `Starting ${state.name}`}
            share={state.share}
          />
          <Actions>
            <Unload label="Cancel" />
          </Actions>
        </>
      )
    case 'ready':
      return (
        <>
          <p className={styles.line}>
            <CircleCheck className={styles.good} size={16} aria-hidden="true" />
            <span>
              {state.title} is ready.
              <span className={form.hint}>
                {state.name}, {formatBytes(state.bytes)}, room for {formatCount(state.contextTokens)} tokens
              </span>
            </span>
          </p>
          <Actions>
            <Unload label="Unload" />
          </Actions>
        </>
      )
    case 'resting':
      return (
        <>
          <p className={form.state}>The engine of {state.name} broke down. It is started anew by the next question.</p>
          <Actions>
            <Restart label="Start now" />
            <Unload label="Unload" />
          </Actions>
        </>
      )
    case 'failed':
      return (
        <>
          <p className={styles.line}>
            <CircleAlert className={styles.bad} size={16} aria-hidden="true" />
            <span>{state.reason}</span>
          </p>
          {!state.isFinal && (
            <Actions>
              <Restart label="Try again" />
            </Actions>
          )}
        </>
      )
  }
}

/** Before anything is open: the file of an earlier visit, if there was one. */
function Earlier(): ReactElement {
  const known = useObservable(earlierFile)
  if (known === undefined) return <p className={form.state}>No model is open.</p>
  const reopen = (): void => {
    reopenEarlierFile(known).catch((error: unknown) =>
      toasts.add({ title: error instanceof Error ? error.message : 'The file cannot be read.' }),
    )
  }
  return (
    <>
      <p className={form.state}>
        {known.name} was open before. {known.handle === undefined ? 'Choose it again' : 'Open it again'}:{' '}
        {askWords(known)}.
      </p>
      {known.handle !== undefined && (
        <Actions>
          <Button size="small" onClick={reopen}>
            Open {known.name}
          </Button>
        </Actions>
      )}
    </>
  )
}

function Actions({ children }: { children: ReactNode }): ReactElement {
  return <div className={form.actions}>{children}</div>
}

function Unload({ label }: { label: string }): ReactElement {
  return (
    <Button size="small" onClick={() => void unloadFileModel()}>
      {label}
    </Button>
  )
}

function Restart({ label }: { label: string }): ReactElement {
  return (
    <Button size="small" onClick={() => void fileModel.restart()}>
      {label}
    </Button>
  )
}
