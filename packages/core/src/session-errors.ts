import { StorageError, TurnloopError } from './errors.ts'

/** The error of an input that was told not to wait. */
export function sessionBusy(id: string): TurnloopError {
  return new TurnloopError('session-busy', `Session ${id} is busy with another turn. Wait for it, or queue this input.`)
}

/** The error of a command to a session that is gone. */
export function sessionClosed(id: string): TurnloopError {
  return new TurnloopError('session-closed', `Session ${id} is closed. Open it again with openSession.`)
}

/** The error of a `resume` with nothing to go on with. */
export function nothingToResume(id: string): TurnloopError {
  return new TurnloopError('nothing-to-resume', `Session ${id} has no turn that was cut.`)
}

/** The error of a command to a session that a newer version of this library has written what this one cannot read. */
export function sessionTooNew(id: string): TurnloopError {
  return new TurnloopError(
    'newer-version',
    `Session ${id} was written by a newer version of this page and can only be read here. Reload the page to update it.`,
  )
}

/** The error of a \`retry\` of a conversation in which nothing was asked. */
export function nothingToRetry(id: string): TurnloopError {
  return new TurnloopError('bad-input', `Session ${id} has no question yet that could be asked again.`)
}

/** The error of a decision that nothing waits for. */
export function nothingAsked(sessionId: string, requestId: string): TurnloopError {
  return new TurnloopError(
    'bad-input',
    `Session ${sessionId} waits for no decision "${requestId}". See snapshot.pending for what is open.`,
  )
}

/** The error of a `resume` of a turn that waits for people. */
export function decisionMissing(id: string): TurnloopError {
  return new TurnloopError(
    'nothing-to-resume',
    `Session ${id} waits for decisions. Use approve, deny or answer with the ids in snapshot.pending.`,
  )
}

/** The error of what needs the whole log, of which the store has given only the end. */
export function logNotRead(id: string): StorageError {
  return new StorageError('disconnected', `The older part of session ${id} could not be read. Try again later.`)
}
