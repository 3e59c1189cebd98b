import ArrowUp from 'lucide-react/icons/arrow-up'
import Square from 'lucide-react/icons/square'
import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useId } from 'react'
import { COMPOSER_ID } from '../app/composer-focus.ts'
import { IconButton } from '../app/icon-button.tsx'
import { useStop } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'
import { AddFileButton } from './add-file-button.tsx'
import styles from './composer.module.css'
import { useDraft, writeDraft } from './drafts.ts'
import { useAddFiles } from './use-add-files.ts'
import { useAsk } from './use-ask.ts'

/** Where one writes. Enter sends, or queues while a turn runs; with Ctrl or ⌘ it joins that turn; Shift+Enter breaks the line. */
export function Composer({ sessionId }: { sessionId: string }): ReactElement {
  const draft = useDraft(sessionId)
  const isBusy = useTurn((turn) => turn.status === 'running' || turn.status === 'cancelling')
  const isWaiting = useTurn((turn) => turn.status === 'awaiting')
  const hintId = useId()
  const ask = useAsk()
  const addFiles = useAddFiles()
  const submit = (whenBusy: 'queue' | 'steer' = 'queue'): void => {
    if (draft.trim() === '') return
    ask(draft.trim(), whenBusy)
    writeDraft(sessionId, '')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit(event.ctrlKey || event.metaKey ? 'steer' : 'queue')
  }
  const onPaste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    addFiles([...event.clipboardData.files])
  }
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {/* The mirror of the text gives the box its height: it grows with what is written, without measuring. */}
      <div className={styles.grow} data-text={`${draft}\n`}>
        <textarea
          id={COMPOSER_ID}
          className={styles.text}
          rows={1}
          value={draft}
          placeholder={isBusy ? `Write on: Enter queues it, ${STEER_KEY} says it now` : 'Ask, or drop a file'}
          aria-describedby={hintId}
          aria-label="Your question"
          aria-keyshortcuts="/"
          onChange={(event) => writeDraft(sessionId, event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
      </div>
      <div className={styles.row}>
        <AddFileButton />
        <span id={hintId} className={styles.hint}>
          {isWaiting && 'Sending something else says no to what waits above.'}
        </span>
        {(isBusy || isWaiting) && <StopButton />}
        {!isBusy && <SendButton isEmpty={draft.trim() === ''} />}
      </div>
    </form>
  )
}

const STEER_KEY = navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl+Enter'

function SendButton({ isEmpty }: { isEmpty: boolean }): ReactElement {
  return (
    <IconButton label="Send" keyHint="Enter" type="submit" className={styles.send} disabled={isEmpty}>
      <ArrowUp size={18} aria-hidden="true" />
    </IconButton>
  )
}

function StopButton(): ReactElement {
  const stop = useStop()
  const isStopping = useTurn((turn) => turn.status === 'cancelling')
  return (
    <IconButton
      label={isStopping ? 'Stopping' : 'Stop'}
      keyHint="Esc"
      className={styles.stop}
      disabled={isStopping}
      onClick={stop}
    >
      <Square size={12} fill="currentColor" aria-hidden="true" />
    </IconButton>
  )
}
