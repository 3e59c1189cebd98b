import type { Clock } from './clock.ts'
import type { SessionChannel } from './session-channel.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { SessionLock } from './session-lock.ts'
import type { Command, CommandResult } from './session-protocol.ts'
import type { SessionRestOptions } from './session-rest.ts'

/** What the pages of a session share it by. */
export interface SessionTabsOptions extends Pick<SessionRestOptions, 'view' | 'storage' | 'driver'> {
  readonly sessionId: string
  readonly lock: SessionLock
  readonly channel: SessionChannel
  readonly clock: Clock
  /** A turn that was cut waits until somebody says that it goes on. */
  readonly isManual: boolean
  perform(command: Command, origin: CommandOrigin): Promise<CommandResult>
}

/**
 * What a page is to its session, and where its commands are carried out then.
 *
 * `away`: the session is being loaded, or a run that was overtaken is being dropped, and what others say is not heard.
 * `sharing`: another page drives, or nobody does.
 */
export const PLACES = {
  away: 'elsewhere',
  sharing: 'elsewhere',
  driving: 'here',
  alone: 'alone',
  left: 'nowhere',
} as const

/** What a page is to its session. */
export type Role = keyof typeof PLACES
