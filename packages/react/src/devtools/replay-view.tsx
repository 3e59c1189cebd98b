import { type Message, messageText, type Session, type Snapshot } from '@turnloop/core'
import { type DragEvent, type ReactNode, useRef } from 'react'
import { useSelected } from '../use-selected.ts'
import { counted, formatCount } from './format.ts'
import { jsonLine } from './json-text.ts'
import type { Player } from './player.ts'
import { Recording, readRecording } from './recording.ts'
import type { Replay } from './use-replay.ts'

/** Props of `ReplayView`. */
export interface ReplayViewProps {
  session: Session | undefined
  replay: Replay
}

/** Opens an exported session and shows what is said in it, as far as it is played. */
export function ReplayView({ session, replay }: ReplayViewProps): ReactNode {
  const { player, error, load } = replay
  const input = useRef<HTMLInputElement>(null)
  const loadFile = (file: File | undefined): void => {
    if (file) load(file.text().then(readRecording))
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    loadFile(event.dataTransfer.files[0])
  }
  return (
    <section className="view" aria-label="Replay" onDragOver={(event) => event.preventDefault()} onDrop={onDrop}>
      <div className="bar">
        <button type="button" onClick={() => input.current?.click()}>
          Open a session file…
        </button>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="Session file"
          hidden
          onChange={({ target }) => {
            loadFile(target.files?.[0])
            // So that the same file can be opened again, after it was changed.
            target.value = ''
          }}
        />
        {session && (
          <button type="button" onClick={() => load(session.export().then((file) => new Recording(file)))}>
            Replay this session
          </button>
        )}
      </div>
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {player ? <Played player={player} /> : <Hint />}
    </section>
  )
}

function Hint(): ReactNode {
  return (
    <p className="empty">
      Open or drop a file that session.export() made. It is played from its log: no model is asked and no tool runs. The
      other tabs then show it as far as it is played.
    </p>
  )
}

/** More would only be scrolled past: the log has all of it. */
const SHOWN = 50

function Played({ player }: { player: Player }): ReactNode {
  const snapshot = useSelected(player, ({ trace }) => trace.snapshot)
  const { messages } = snapshot
  const { id, title } = player.recording.file
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section className="scroll" tabIndex={0} aria-label="Conversation of the recording">
      <p className="quiet">
        {title ?? id} · {snapshot.status} · {counted(messages.length, 'message')}
        {messages.length > SHOWN && `, the last ${formatCount(SHOWN)} of them here`}
      </p>
      <ol className="messages">
        {messages.slice(-SHOWN).map((message) => (
          <li key={message.id} data-role={message.role}>
            <span className="kind">{message.role}</span>
            <MessageWords message={message} snapshot={snapshot} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function shortened(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}

function MessageWords({ message, snapshot }: { message: Message; snapshot: Snapshot }): ReactNode {
  if (message.role === 'tool')
    return message.results.map(({ callId, toolName, status, result }) => (
      <p key={callId}>
        <code>{toolName}</code> {status}{' '}
        <span className="quiet">{jsonLine(result.structuredContent ?? result.content)}</span>
      </p>
    ))
  const calls = message.role === 'user' ? [] : message.content.filter((part) => part.type === 'tool-call')
  return (
    <>
      {messageText(message) !== '' && <p>{messageText(message)}</p>}
      {calls.map(({ callId, toolName, inputText }) => (
        <p key={callId}>
          asks for <code>{toolName}</code> <span className="quiet">{shortened(inputText)}</span>{' '}
          {snapshot.calls.get(callId)?.state}
        </p>
      ))}
    </>
  )
}
