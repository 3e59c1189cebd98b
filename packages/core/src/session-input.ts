import { checkOptions } from './check-options.ts'
import { randomId } from './random-id.ts'
import type { SendOptions, SessionInput } from './session.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { Command } from './session-protocol.ts'
import { SEND_RULES } from './session-rules.ts'
import { userMessage } from './turn-input.ts'

/** Something to say, ready to be carried out. */
export interface ReadSend {
  readonly command: Extract<Command, { name: 'send' }>
  readonly origin: CommandOrigin
}

/**
 * Read what is sent. With `goesBackTo` it takes the place of what came after that sequence. Throws `bad-input` and
 * `bad-option`.
 */
export function readSend(
  given: SessionInput,
  options: SendOptions,
  stamp: { readonly createdAt: number; readonly where: string; readonly goesBackTo?: number },
): ReadSend {
  const { where, createdAt, goesBackTo } = stamp
  checkOptions(options, SEND_RULES, { where })
  const { turnId = randomId(), whenBusy, signal, extra, reject: _mine, ...facts } = options
  const isSteering = whenBusy === 'steer' && goesBackTo === undefined
  // What joins another turn starts none, and is found by its message.
  const id = isSteering ? turnId : randomId()
  const { content } = userMessage(given, { id, createdAt })
  const input = { id, turnId, createdAt, content, ...(goesBackTo !== undefined && { goesBackTo }) }
  const isReplacing = whenBusy === 'replace' || goesBackTo !== undefined
  return {
    command: { name: 'send', input, isReplacing, ...(isSteering && { isSteering }), facts },
    origin: { signal, ...(extra !== undefined && { extra }) },
  }
}
