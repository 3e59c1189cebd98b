import { type Entry, type Session, TurnloopError } from '@turnloop/core'

/**
 * Which message of a session each UI message of a person is. `useChat` makes up the ids of what is sent, and the session
 * those of its own; what is loaded from a session has the same ids there.
 */
export class AskedMessages {
  /** The turn that each was sent to start, by the id that `useChat` gave it, for as long as the page lives. */
  readonly #turns = new Map<string, string>()

  note(uiMessageId: string, turnId: string): void {
    this.#turns.set(uiMessageId, turnId)
  }

  /**
   * The session's id of the message; `undefined` for one that never joined the session, because it was stopped or blocked
   * before. Throws `bad-input` for one that it does not know.
   */
  find(session: Session, uiMessageId: string): string | undefined {
    const turnId = this.#turns.get(uiMessageId)
    for (const entry of session.getEntries()) {
      const id = idOfQuestion(entry)
      // What was edited keeps its id in the chat, and has another one here.
      if (id !== undefined && (turnId === undefined ? id === uiMessageId : entry.turnId === turnId)) return id
    }
    if (turnId !== undefined) return undefined
    throw new TurnloopError(
      'bad-input',
      `The session has no message ${uiMessageId} to change or to answer anew: start useChat with transport.loadMessages().`,
    )
  }
}

function idOfQuestion(entry: Entry): string | undefined {
  const isOwn = entry.type === 'message' && entry.path === undefined && entry.message.role === 'user'
  return isOwn && entry.message.synthetic === undefined ? entry.message.id : undefined
}
