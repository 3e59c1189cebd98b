import { toErrorRecord } from './errors.ts'
import { resultFromLog } from './session-head.ts'
import type { Command, CommandEnd, CommandResult } from './session-protocol.ts'
import { createJob } from './session-queue.ts'
import { neverStarted } from './session-runs.ts'
import type { SessionView } from './session-view.ts'
import type { TurnResult } from './turn-result.ts'

/** What came of a command, as another page can be told it. */
export function toEnd({ turn, ...rest }: CommandResult): CommandEnd {
  return { ...rest, ...(turn !== undefined && { turn: toWire(turn) }) }
}

/** Why a command failed, as another page can be told it. */
export function toFailure(error: unknown): CommandEnd {
  return { error: toErrorRecord(error, 'internal') }
}

/** What came of a command that another page carried out, by this page's own log. */
export function toResult({ turn, ...rest }: Exclude<CommandEnd, { error: unknown }>, view: SessionView): CommandResult {
  if (turn === undefined) return rest
  return {
    turn: resultFromLog(view, turn.turnId) ?? { ...turn, messages: view.snapshot.messages },
    ...(!view.log.isWhole && { isPart: true }),
  }
}

/** The messages of a turn's result, as this page's log tells them now. */
export function messagesOfTurn(view: SessionView, { turnId, messages }: TurnResult): TurnResult['messages'] {
  return resultFromLog(view, turnId)?.messages ?? messages
}

/** What came of a command that nobody took: an input is handed back. */
export function toGivenUp(command: Command, reason: unknown, view: SessionView): CommandResult {
  if (command.name !== 'send') return {}
  return { turn: neverStarted(createJob('send', command.input), view.snapshot.messages, { reason }) }
}

function toWire(result: TurnResult): Omit<TurnResult, 'messages' | 'output' | 'resume'> {
  const { messages: _messages, output: _output, resume: _resume, ...turn } = result
  return turn
}
