import { checkDecision } from './approvals.ts'
import type { EntryDraft } from './entries.ts'
import { StorageError } from './errors.ts'
import { isJsonObject } from './json.ts'
import type { UserMessage } from './messages.ts'
import type { Decision } from './outcome.ts'
import { compactSession, previewSession, undoCompaction } from './session-compaction.ts'
import { decideInSession, stopWaiting } from './session-decisions.ts'
import type { SessionDriver, SessionDriverOptions } from './session-driver.ts'
import { eraseMessage, shortenSession } from './session-erase.ts'
import { decisionMissing, nothingToResume, sessionTooNew } from './session-errors.ts'
import type { Command, CommandResult } from './session-protocol.ts'
import { createJob, type Job } from './session-queue.ts'
import { TAKEN_OVER } from './session-runs.ts'
import { performTask } from './session-tasks.ts'
import { rewindSession } from './session-travel.ts'
import type { TurnResult } from './turn-result.ts'

/** What commands work with. */
export interface SessionCommandsOptions extends SessionDriverOptions {
  readonly driver: SessionDriver
}

/** Where a command comes from. */
export interface CommandOrigin {
  /** Of an input: aborting it gives it up. */
  readonly signal?: AbortSignal | undefined
  /** What hooks find under `extra`. */
  readonly extra?: object
  /** Another page may have done it already. */
  isAgain?: boolean
}

/** Carries out, as the page that drives, what this page or another asks for. */
export class SessionCommands {
  readonly #options: SessionCommandsOptions
  /** The turns of inputs that were taken out of the queue: the page that sent one may not know yet, and ask again. */
  readonly #removed = new Set<string>()

  constructor(options: SessionCommandsOptions) {
    this.#options = options
  }

  /** Do it. A turn is started, or put in the queue, before this returns. */
  async perform(command: Command, origin: CommandOrigin = {}): Promise<CommandResult> {
    const { driver } = this.#options
    switch (command.name) {
      case 'send':
        return { turn: await this.#send(command, origin) }
      case 'resume':
        return { turn: await this.#resume(command.turnId) }
      case 'retry':
        return { turn: await this.#retry(command) }
      case 'compact':
        return { report: await this.#task((job, context) => compactSession(job, command.focus, context)) }
      case 'preview-compaction':
        await this.#options.storage.earlier.all()
        return { report: previewSession({ ...this.#options, agent: this.#options.agent() }) }
      case 'undo-compaction':
        if (origin.isAgain) throw takenOver(this.#options.sessionId)
        await this.#task(undoCompaction)
        break
      case 'set-state': {
        const { patch } = command
        await this.#task(async (_job, { storage }) => {
          storage.append({ type: 'state-changed', patch })
        })
        break
      }
      case 'rewind':
        if (origin.isAgain) throw takenOver(this.#options.sessionId)
        await this.#task((job, context) => rewindSession(job, command.checkpoint, context))
        break
      case 'drop':
        driver.find(command.turnId)?.controller.abort(toReason(command.reason))
        break
      case 'cancel':
        await this.#cancel(command, origin.isAgain === true)
        break
      case 'decide':
        await this.#decide(command.decision)
        break
      case 'rename':
        await this.#write({ type: 'session-changed', title: command.title })
        break
      case 'erase':
        await this.#erase(command.messageId)
        break
      case 'shorten':
        return { shortened: await this.#task((job, context) => shortenSession(job, command.olderThanMs, context)) }
      case 'note':
        await this.#note(command.message)
        break
      case 'edit-queued':
        driver.queue.edit(command.id, command.content)
        break
      case 'remove-queued':
        this.#remove(command.id)
    }
    return {}
  }

  #send(command: Extract<Command, { name: 'send' }>, origin: CommandOrigin): Promise<TurnResult> {
    const { driver, view } = this.#options
    const { isReplacing, facts } = command
    const { current } = driver
    const steers = command.isSteering && current?.kind !== 'task' ? current?.turnId : undefined
    const input = steers === undefined ? command.input : { ...command.input, steers }
    const { signal, isAgain, extra } = origin
    // Where it waits it has been heard: asking what became of it does not make it go on.
    const turnId = view.log.turnOfInput(input.turnId) ?? input.turnId
    const known = (isAgain && driver.find(turnId)?.done) || driver.findTurn(turnId)
    if (known !== undefined) return known
    const job = createJob('send', input, signal)
    if (isAgain && this.#removed.has(turnId)) return Promise.resolve(driver.neverStarted(job))
    job.facts = { ...facts, ...(extra !== undefined && { extra }) }
    if (isReplacing) this.#replace('replaced by a newer input')
    return driver.start(job, steers !== undefined ? 'steering' : isReplacing ? 'first' : 'last')
  }

  #retry({ turnId, to }: Extract<Command, { name: 'retry' }>): Promise<TurnResult> {
    const { driver } = this.#options
    // A button that is pressed twice asks once.
    const asked = to === undefined ? [driver.current, driver.queue.retry].find(isRetry) : undefined
    const known = driver.findTurn(asked?.turnId ?? turnId)
    if (known !== undefined) return known
    const job = driver.createPlainJob('retry', turnId)
    if (to === undefined) return driver.start(job)
    job.input = { ...job.input, goesBackTo: to }
    this.#replace('replaced by a new answer')
    return driver.start(job, 'first')
  }

  /** Stop what runs, and what waits to take its place: once it went back, what is asked now would be left behind. */
  #replace(reason: string): void {
    const { driver } = this.#options
    for (const job of driver.queue.goingBack) job.controller.abort(reason)
    driver.stopCurrent(reason)
  }

  #resume(asked: string): Promise<TurnResult> {
    const { view, driver, sessionId } = this.#options
    const turnId = view.openTurnId
    const { current } = driver
    if (turnId !== undefined && view.snapshot.status === 'awaiting') throw decisionMissing(sessionId)
    // Another page has brought it to its end meanwhile.
    const ended = turnId === undefined && view.hasTurn(asked) ? driver.findTurn(asked) : undefined
    if (ended !== undefined) return ended
    if (turnId === undefined || (current !== undefined && current.kind !== 'resume')) throw nothingToResume(sessionId)
    return driver.resume(turnId)
  }

  async #cancel(command: Extract<Command, { name: 'cancel' }>, isAgain: boolean): Promise<void> {
    const { view, driver } = this.#options
    // Who asks again meant the turn that was running then.
    if (isAgain && view.openTurnId !== command.turnId) return
    const reason = toReason(command.reason)
    const isWaiting = (): boolean => view.snapshot.status === 'awaiting'
    const { current } = driver
    // A question that came since runs in its place, and closes it: that one nobody wanted stopped.
    const isMeant = !isAgain || current === undefined || current.turnId === command.turnId
    if (isMeant && (current !== undefined || !isWaiting())) await driver.cancel(reason)
    // Also what paused in this very moment.
    if (isWaiting()) await stopWaiting(reason, { view, driver })
  }

  async #decide(decision: Decision): Promise<void> {
    const asked = this.#options.view.snapshot.pending.find(({ id }) => id === decision.id)
    if (asked !== undefined) checkDecision(decision, asked)
    await decideInSession(decision, this.#options)
  }

  /** Its id tells whether the page that was asked first has done it. */
  async #note(message: UserMessage): Promise<void> {
    if (!this.#options.view.log.hasNote(message.id)) await this.#write({ type: 'note', message })
  }

  /** What still waits is simply taken back. */
  async #erase(messageId: string): Promise<void> {
    if (!this.#remove(messageId)) await this.#task((job, context) => eraseMessage(job, messageId, context))
  }

  /** Take an input back that waits; tells whether there was such a one. */
  #remove(inputId: string): boolean {
    const { driver } = this.#options
    const job = driver.queue.remove(inputId)
    if (job === undefined) return false
    this.#removed.add(job.turnId)
    job.settle({ result: driver.neverStarted(job) })
    return true
  }

  /** Write down what belongs to no turn, also while one runs. */
  async #write(draft: EntryDraft): Promise<void> {
    const { driver, storage, sessionId } = this.#options
    // A run has caught up already; becoming the writer once more would only make it wait.
    if (driver.current === undefined) await storage.catchUp()
    else await storage.caughtUp()
    if (storage.isReadOnly) throw sessionTooNew(sessionId)
    await storage.append(draft).saved
  }

  #task<T>(task: Parameters<typeof performTask<T>>[2]): Promise<T> {
    return performTask(this.#options.driver, this.#options, task)
  }
}

/** Whether a job is a retry, of the conversation as it is, that nobody has stopped. */
function isRetry(job: Job | undefined): boolean {
  return job?.kind === 'retry' && job.input.goesBackTo === undefined && !job.controller.signal.aborted
}

function takenOver(sessionId: string): StorageError {
  return new StorageError('stale-fence', `Session ${sessionId}: ${TAKEN_OVER}.`)
}

/** An abort reason that may have come from another page, where errors are plain data. */
function toReason(reason: unknown): unknown {
  const isError = isJsonObject(reason) && typeof reason.name === 'string' && typeof reason.message === 'string'
  return isError && !(reason instanceof Error) ? new DOMException(String(reason.message), String(reason.name)) : reason
}
