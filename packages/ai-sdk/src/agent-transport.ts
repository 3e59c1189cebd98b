import { type Agent, type Message, type Session, type Snapshot, TurnloopError } from '@turnloop/core'
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai'
import { AgentTurns } from './agent-turns.ts'
import { AskedMessages } from './asked-messages.ts'
import { toChunkStream } from './chunk-stream.ts'
import { toUserContent } from './core-parts.ts'
import { SessionReader } from './session-reader.ts'
import { toUIMessages } from './to-ui-messages.ts'
import { decisionsIn } from './ui-decisions.ts'
import { replyIdOf, type TurnloopUIMessage } from './ui-metadata.ts'

/** Options of `AgentTransport`: whose turns it runs. */
export type AgentTransportOptions =
  | {
      /**
       * The conversation of a chat. A function is asked once for each chat id, and again once that session is closed; who
       * opens a session closes it.
       */
      readonly session: Session | ((chatId: string) => Session)
      /**
       * What `stop()` of `useChat` does to the turn: it also comes when the component unmounts. `'cancel'` (default) stops
       * it. `'leave'` lets it run, to be stopped by `session.cancel()` and shown again by `resume`.
       */
      readonly onStop?: 'cancel' | 'leave'
    }
  | {
      /** Turns without a session: `useChat` keeps the messages, and they are gone with the page. */
      readonly agent: Agent
    }

type SendOptions = Parameters<ChatTransport<UIMessage>['sendMessages']>[0]
type ReconnectOptions = Parameters<ChatTransport<UIMessage>['reconnectToStream']>[0]

/**
 * An agent in the page as the transport of `useChat`, in place of a server route.
 *
 * With a session its log is the conversation: what was said before, in whatever page, is part of it, a turn outlives a
 * reload, and `useChat({ resume: true })` shows it growing. With an agent alone the messages that `useChat` holds are the
 * conversation. Tools run in the loop; calls that need approval, and tools that the host answers, wait for
 * `addToolApprovalResponse` and `addToolOutput`. `metadata` of a reply has usage, model and outcome. `headers`, `body` and
 * `metadata` of a request go nowhere.
 */
export class AgentTransport implements ChatTransport<UIMessage> {
  /** Reconnecting tells the turn from its beginning. */
  readonly resumeStreamIsReplay = true
  readonly #turns: AgentTurns | undefined
  readonly #sessionFor: (chatId: string) => Session
  readonly #onStop: 'cancel' | 'leave'
  readonly #sessions = new Map<string, Session>()
  readonly #asked = new AskedMessages()

  constructor(options: AgentTransportOptions) {
    if ('agent' in options) {
      this.#turns = new AgentTurns(options.agent)
      this.#onStop = 'cancel'
      this.#sessionFor = () => {
        throw new TurnloopError('bad-option', 'AgentTransport: there is no session. Make it with { session }.')
      }
      return
    }
    const { session, onStop = 'cancel' } = options
    this.#onStop = onStop
    this.#sessionFor = typeof session === 'function' ? session : () => session
  }

  /**
   * Ask: about a new message, about other words in the place of an earlier one (`sendMessage` with `messageId`), once more
   * about one (`regenerate`), or go on with a turn that waited for decisions. What comes after a message that is changed or
   * answered anew is left behind, as by `session.rewind`.
   *
   * Rejects with `bad-input` for a message that the session does not know, and for a continuation that nothing waits for. A
   * turn that fails is an `error` chunk. Aborting stops the turn.
   */
  async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const { chatId, messages, abortSignal } = options
    if (this.#turns !== undefined) return toChunkStream(this.#turns.send(chatId, messages, abortSignal))
    const session = this.#session(chatId)
    await untilLoaded(session)
    abortSignal?.throwIfAborted()
    return toChunkStream(this.#ask(session, options))
  }

  /**
   * The turn that is running, from its beginning: after a reload, or in a component that was mounted again. Resolves with
   * `null` when none runs; one that waits for decisions is at rest, and part of `loadMessages`. Aborting before the stream is
   * there changes nothing; from then on it stops the turn.
   */
  async reconnectToStream({ chatId, abortSignal }: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    if (this.#turns !== undefined) return null
    const session = this.#session(chatId)
    await untilBegun(session)
    const { status, turn, messages } = session.getSnapshot()
    if (abortSignal?.aborted || turn === undefined || (status !== 'running' && status !== 'cancelling')) return null
    const reader = new SessionReader(session, { turnId: turn.id, replyId: lastReplyId(messages) })
    reader.begin('replay')
    this.#stopWith(abortSignal, session, reader)
    return toChunkStream(reader)
  }

  /**
   * What a chat holds, once its session is loaded: the `messages` to start `useChat` with, the running turn as far as it is.
   * Without a session, none.
   */
  async loadMessages(chatId: string): Promise<TurnloopUIMessage[]> {
    if (this.#turns !== undefined) return []
    const session = this.#session(chatId)
    await untilBegun(session)
    return toUIMessages(session.getSnapshot())
  }

  #session(chatId: string): Session {
    const known = this.#sessions.get(chatId)
    if (known !== undefined && known.getSnapshot().status !== 'closed') return known
    const session = this.#sessionFor(chatId)
    this.#sessions.set(chatId, session)
    return session
  }

  #ask(session: Session, { trigger, messageId, messages, abortSignal }: SendOptions): SessionReader {
    const last = messages.at(-1)
    if (trigger === 'regenerate-message') return this.#regenerate(session, messages, abortSignal)
    if (last?.role === 'assistant') return this.#decide(session, last, abortSignal)
    const edited = messageId === undefined ? undefined : this.#asked.find(session, messageId)
    // A page that came over plain http has no `randomUUID`.
    const turnId = Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-')
    if (last !== undefined) this.#asked.note(last.id, turnId)
    const reader = new SessionReader(session, { turnId })
    const options = { turnId, ...(this.#onStop === 'cancel' && abortSignal && { signal: abortSignal }) }
    const content = toUserContent(last?.parts ?? [])
    const sent = edited === undefined ? session.send(content, options) : session.edit(edited, content, options)
    sent.then(
      (result) => reader.settle(result),
      (error: unknown) => reader.fail(error),
    )
    return reader
  }

  #regenerate(session: Session, messages: readonly UIMessage[], signal: AbortSignal | undefined): SessionReader {
    const asked = messages.findLast(({ role }) => role === 'user')
    const question = asked && this.#asked.find(session, asked.id)
    const reader = new SessionReader(session, { replyId: question && replyIdOf(question) })
    session.regenerate(question).catch((error: unknown) => reader.fail(error))
    this.#stopWith(signal, session, reader)
    return reader
  }

  #decide(session: Session, message: UIMessage, signal: AbortSignal | undefined): SessionReader {
    const { pending, turn, messages } = session.getSnapshot()
    const decisions = decisionsIn(message, pending)
    if (turn === undefined || decisions.length === 0) {
      throw new TurnloopError('bad-input', 'Nothing waits for what was decided in the last message.')
    }
    const deciding = new Set(decisions.map(({ id }) => id))
    const reader = new SessionReader(session, { turnId: turn.id, replyId: lastReplyId(messages), deciding })
    reader.begin('go-on')
    for (const { id, allow, result, note } of decisions) {
      const decided = allow ? (result ? session.answer(id, result) : session.approve(id)) : session.deny(id, note)
      decided.catch((error: unknown) => reader.fail(error))
    }
    this.#stopWith(signal, session, reader)
    return reader
  }

  /** Stop the turn that is read when the signal aborts, as long as it is read. */
  #stopWith(signal: AbortSignal | undefined, session: Session, reader: SessionReader): void {
    if (signal === undefined || this.#onStop === 'leave') return
    const stop = (): void => {
      const { turnId } = reader
      const isOurs = turnId === undefined || session.getSnapshot().turn?.id === turnId
      // What comes of it is in the session.
      if (isOurs) session.cancel(signal.reason).catch(() => {})
    }
    signal.addEventListener('abort', stop, { once: true })
    reader.onOver(() => signal.removeEventListener('abort', stop))
  }
}

function untilLoaded(session: Session): Promise<void> {
  return until(session, ({ status }) => status !== 'loading')
}

/** Until it is known what runs: between an input and its turn, a session has begun and there is nothing to show yet. */
function untilBegun(session: Session): Promise<void> {
  return until(session, ({ status, turn }) => status !== 'loading' && (status !== 'running' || turn !== undefined))
}

function until(session: Session, passes: (snapshot: Snapshot) => boolean): Promise<void> {
  if (passes(session.getSnapshot())) return Promise.resolve()
  return new Promise((resolve) => {
    const unsubscribe = session.subscribe(() => {
      if (!passes(session.getSnapshot())) return
      unsubscribe()
      resolve()
    })
  })
}

function lastReplyId(messages: readonly Message[]): string | undefined {
  const asked = messages.findLast((message) => message.role === 'user' && message.synthetic === undefined)
  return asked && replyIdOf(asked.id)
}
