import ArrowUp from 'lucide-react/icons/arrow-up'
import Square from 'lucide-react/icons/square'
import { type ClipboardEvent, type KeyboardEvent, type ReactElement, useId } from 'react'
import { COMPOSER_ID } from '../app/composer-focus.ts'
import { joinWords } from '../app/format.ts'
import { IconButton } from '../app/icon-button.tsx'
import { useIsNarrow } from '../app/use-is-narrow.ts'
import { useStop } from '../app/use-stop.ts'
import { useTurn } from '../app/use-turn.ts'
import { AddFileButton } from './add-file-button.tsx'
import { dismissTroubles } from './attach-files.ts'
import styles from './composer.module.css'
import { DraftFiles } from './draft-files.tsx'
import { type Draft, draftInput, useDraft, writeDraft } from './drafts.ts'
import { GrowingField } from './growing-field.tsx'
import { useAddFiles } from './use-add-files.ts'
import { useAsk } from './use-ask.ts'
import writing from './writing.module.css'

/** Where one writes. Enter sends, or queues while a turn runs; with Ctrl or ⌘ it joins that turn; Shift+Enter breaks the line. */
export function Composer({ sessionId }: { sessionId: string }): ReactElement {
  const draft = useDraft(sessionId)
  const input = draftInput(draft)
  const isBusy = useTurn((turn) => turn.status === 'running' || turn.status === 'cancelling')
  const isWaiting = useTurn((turn) => turn.status === 'awaiting')
  const hintId = useId()
  const ask = useAsk()
  const submit = (whenBusy: 'queue' | 'steer' = 'queue'): void => {
    if (input === undefined) return
    ask(input, whenBusy)
    writeDraft(sessionId, { text: '', files: [] })
    dismissTroubles(sessionId)
  }
  return (
    <form
      className={writing.box}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <DraftFiles sessionId={sessionId} files={draft.files} />
      <Field sessionId={sessionId} hintId={hintId} text={draft.text} isBusy={isBusy} onSend={submit} />
      <div className={styles.row}>
        <AddFileButton />
        <span id={hintId} className={styles.hint}>
          {hintWords(draft, isWaiting)}
        </span>
        {(isBusy || isWaiting) && <StopButton />}
        {!isBusy && <SendButton isEmpty={input === undefined} />}
      </div>
    </form>
  )
}

interface FieldProps {
  sessionId: string
  hintId: string
  text: string
  isBusy: boolean
  onSend(whenBusy: 'queue' | 'steer'): void
}

function Field({ sessionId, hintId, text, isBusy, onSend }: FieldProps): ReactElement {
  const addFiles = useAddFiles()
  const isNarrow = useIsNarrow()
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    onSend(event.ctrlKey || event.metaKey ? 'steer' : 'queue')
  }
  const onPaste = (event: ClipboardEvent): void => {
    const { files, types } = event.clipboardData
    // Word processors and spreadsheets put a picture of what was copied beside it: there the words are meant.
    if (files.length === 0 || (types.includes('text/plain') && types.includes('text/html'))) return
    event.preventDefault()
    addFiles([...files])
  }
  return (
    <GrowingField
      id={COMPOSER_ID}
      mostLines={8}
      value={text}
      placeholder={isBusy ? (isNarrow ? 'Write on: Enter queues it' : BUSY_WORDS) : 'Ask, or drop a file'}
      aria-describedby={hintId}
      aria-label="Your question"
      aria-keyshortcuts="/"
      onChange={(event) => writeDraft(sessionId, { text: event.target.value })}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}

/** What keeps a question from being sent, or what sending it means. */
function hintWords({ files }: Draft, isWaiting: boolean): string {
  const unread = files.filter(({ part }) => part === undefined)
  if (unread.length > 0) return `Still reading ${joinWords(unread.map(({ name }) => name))}.`
  return isWaiting ? 'Sending something else says no to what waits above.' : ''
}

const STEER_KEY = navigator.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl+Enter'
const BUSY_WORDS = `Write on: Enter queues it, ${STEER_KEY} says it now`

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
