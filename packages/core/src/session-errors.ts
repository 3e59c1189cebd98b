import { TurnloopError } from './errors.ts'

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
