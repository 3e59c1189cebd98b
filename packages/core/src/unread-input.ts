import type { QueuedInput } from './session-store.ts'
import type { SessionView } from './session-view.ts'

/**
 * Inputs of turns that have begun and that are not in the log yet: their hooks have still to pass them.
 *
 * Such an input stays in the stored queue, so that a turn that is cut there can be asked it again.
 */
export class UnreadInput {
  readonly #view: SessionView
  /** Of the turn that was cut. */
  #cut: QueuedInput | undefined

  constructor(view: SessionView) {
    this.#view = view
  }

  /** Keep an input that was found in the stored queue although its turn has begun; says whether it has. */
  keep(input: QueuedInput): boolean {
    if (this.#view.openTurnId === input.turnId) this.#cut = input
    return this.#view.hasTurn(input.turnId) || this.#view.log.hasInput(input.id)
  }

  /** The inputs to store: those that wait, and before them what is not in the log yet; `current` has been taken already. */
  before(waiting: readonly QueuedInput[], current: QueuedInput | undefined): readonly QueuedInput[] {
    const unread = [this.#cut, current].filter((input) => input !== undefined).filter((input) => !this.#isLogged(input))
    return unread.length === 0 ? waiting : [...unread, ...waiting]
  }

  /** What a turn is still to be asked. */
  of(turnId: string): { input?: QueuedInput } {
    const input = this.#cut
    return input?.turnId === turnId && !this.#isLogged(input) ? { input } : {}
  }

  /** That its turn has begun is not enough, as long as that goes on. */
  #isLogged({ id, turnId }: QueuedInput): boolean {
    if (!this.#view.hasTurn(turnId)) return false
    return this.#view.openTurnId !== turnId || this.#view.log.hasInput(id)
  }
}
