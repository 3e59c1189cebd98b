import { toEnd, toFailure } from './command-ends.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { Command, CommandEnd, CommandResult, SessionMessage, SessionMessageBody } from './session-protocol.ts'
import { isTakenOver } from './session-runs.ts'
import type { SessionView } from './session-view.ts'

/** How many commands of others a driver remembers, so that one that is repeated is done once. */
const REMEMBERED = 100

/** The commands that start a turn, or go on with one: the session's queue has them until they are done. */
export const TURNS: ReadonlySet<Command['name']> = new Set(['send', 'resume', 'retry'])

/** What came of a command; `lost` where another page has taken over meanwhile. */
export type Performed = CommandResult | { readonly lost: true }

/** What serving works with. */
export interface SessionServiceOptions {
  readonly view: SessionView
  perform(command: Command, origin: CommandOrigin): Promise<CommandResult>
  /** Differs as soon as this page has not been the driver all the time. */
  term(): number
  post(body: SessionMessageBody): void
  /** Tell the followers all that happened; returns where the log stands. */
  flush(): number
  /** A command has come to its end. */
  onEnd(): void
}

/** Does, as the driver, what this page and others ask for. */
export class SessionService {
  readonly #options: SessionServiceOptions
  readonly #served = new Map<string, Promise<CommandEnd | undefined>>()
  #running = 0

  constructor(options: SessionServiceOptions) {
    this.#options = options
  }

  /** Commands under way that are no turn. */
  get running(): number {
    return this.#running
  }

  /** Do it; a turn has been put in its place before this returns. */
  async perform(command: Command, origin: CommandOrigin): Promise<Performed> {
    const { term, onEnd } = this.#options
    const isTurn = TURNS.has(command.name)
    const began = term()
    if (!isTurn) this.#running += 1
    try {
      const result = await this.#options.perform(command, origin)
      return (isTurn ? this.#isCutShort(result) : term() !== began) ? { lost: true } : result
    } catch (error) {
      if (term() === began) throw error
      return { lost: true }
    } finally {
      if (!isTurn) this.#running -= 1
      onEnd()
    }
  }

  /** Do what another page asks for, once, however often it asks. */
  serve({ id, command, isAgain }: Extract<SessionMessage, { kind: 'command' }>): void {
    const { post, flush } = this.#options
    post({ kind: 'ack', id })
    const ending = this.#served.get(id) ?? this.#serve(command, isAgain)
    this.#served.set(id, ending)
    for (const old of this.#served.keys()) if (this.#served.size > REMEMBERED) this.#served.delete(old)
    ending.then((end) => {
      if (end !== undefined) post({ kind: 'done', id, after: flush(), end })
    })
  }

  /** Whether a turn ended here alone: of one that has ended in the log, that is how it ended. */
  #isCutShort({ turn }: CommandResult): boolean {
    const { view } = this.#options
    if (turn === undefined || !isTakenOver(turn)) return false
    return !view.hasTurn(turn.turnId) || view.openTurnId === turn.turnId
  }

  /** Never rejects; `undefined` where whoever has taken over says what came of it. */
  async #serve(command: Command, isAgain: boolean): Promise<CommandEnd | undefined> {
    try {
      const performed = await this.perform(command, { isAgain })
      return 'lost' in performed ? undefined : toEnd(performed)
    } catch (error) {
      return toFailure(error)
    }
  }
}
