import type { Clock } from './clock.ts'
import { toGivenUp, toResult } from './command-ends.ts'
import { toReasonRecord } from './errors.ts'
import { randomId } from './random-id.ts'
import type { CommandOrigin } from './session-commands.ts'
import type { Command, CommandEnd, CommandResult, SessionMessageBody } from './session-protocol.ts'
import { TURNS } from './session-service.ts'
import type { SessionView } from './session-view.ts'
import { fromRecord } from './turn-result.ts'

/** How long a driver may take to say that it has heard a command. */
export const ACK_MS = 5000

/** A command of this page, and who waits for what comes of it. */
export interface Call {
  readonly command: Command
  readonly origin: CommandOrigin
  /** It waits in the stored queue, which is held: nobody has to be asked for it. */
  isParked?: boolean
  resolve(result: CommandResult): void
  reject(error: unknown): void
}

/** What asking works with. */
export interface SessionAsksOptions {
  readonly clock: Clock
  post(body: SessionMessageBody): void
  /** Whether another page drives, as far as is known here. */
  hasDriver(): boolean
  readonly view: SessionView
  /** Nobody has said in time that it heard a command: once per time that passes so. */
  onSilent(): void
  /** There is more, or less, that waits. */
  onChange(): void
}

/** Commands of this page that another one has to carry out, or this one as soon as it drives. */
export class SessionAsks {
  readonly #options: SessionAsksOptions
  readonly #asks = new Map<string, Ask>()

  constructor(options: SessionAsksOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#asks.size === 0
  }

  /** Whether something waits that nobody has said to have heard. */
  get isUnheard(): boolean {
    return [...this.#asks.values()].some(({ isAcked }) => !isAcked)
  }

  /** Whether something waits that keeps a session busy. */
  get isBusy(): boolean {
    return [...this.#asks.values()].some(({ call, isAcked }) => !isAcked && TURNS.has(call.command.name))
  }

  /** Ask whoever drives. */
  add(call: Call): void {
    const ask: Ask = {
      id: randomId(),
      call,
      isAcked: call.isParked === true,
      stopTimer: () => {},
      end: undefined,
    }
    try {
      this.#post(ask)
    } catch (error) {
      ask.stopTimer()
      call.reject(error)
      return
    }
    this.#asks.set(ask.id, ask)
    this.#options.onChange()
  }

  /** Another page drives now: it may know nothing of what the last one was asked. */
  repeat(): void {
    for (const ask of this.#asks.values()) {
      ask.isAcked = false
      this.#post(ask)
    }
  }

  noteAck(id: string): void {
    const ask = this.#asks.get(id)
    if (ask === undefined) return
    ask.isAcked = true
    ask.stopTimer()
  }

  noteDone(id: string, after: number, end: CommandEnd): void {
    const ask = this.#asks.get(id)
    if (ask === undefined) return
    this.noteAck(id)
    ask.end = { after, end }
    this.settle()
  }

  /** Hand out what came, of commands whose part of the log has come too. */
  settle(): void {
    for (const ask of [...this.#asks.values()]) {
      if (ask.end === undefined || ask.end.after > this.#options.view.lastSequence) continue
      const { end } = ask.end
      this.#forget(ask)
      if ('error' in end) ask.call.reject(fromRecord(end.error))
      else ask.call.resolve(toResult(end, this.#options.view))
    }
  }

  /** Take everything back, in order: this page drives, or asks nobody any more. */
  takeAll(): readonly Call[] {
    return [...this.#asks.values()].map((ask) => {
      this.#forget(ask)
      return ask.call
    })
  }

  /** Whatever waits cannot be done, as far as is known. */
  failAll(error: unknown): void {
    for (const { reject } of this.takeAll()) reject(error)
  }

  /** Give up the inputs that nobody has said to have heard. */
  giveUpUnheard(reason: unknown): void {
    for (const { call } of [...this.#asks.values()]) this.giveUp(call, reason)
  }

  /** Give an input up, if nobody has said to have heard it; tells whether it was so. */
  giveUp(call: Call, reason: unknown): boolean {
    const { command } = call
    const ask = [...this.#asks.values()].find((asked) => asked.call === call)
    if (ask === undefined || ask.isAcked || command.name !== 'send') return false
    // Whoever has heard it all the same lets go of it too.
    const drop = { name: 'drop', turnId: command.input.turnId, reason: toReasonRecord(reason) } as const
    this.#options.post({ kind: 'command', id: randomId(), command: drop, isAgain: true })
    this.#forget(ask)
    call.resolve(toGivenUp(command, reason, this.#options.view))
    return true
  }

  #post(ask: Ask): void {
    const { command, origin } = ask.call
    const { post, hasDriver } = this.#options
    post({ kind: 'command', id: ask.id, command: toPlain(command), isAgain: origin.isAgain === true })
    // Whoever takes it after this one cannot know what became of it there.
    origin.isAgain ||= hasDriver()
    this.#watch(ask)
  }

  #watch(ask: Ask): void {
    const { clock, onSilent } = this.#options
    ask.stopTimer()
    if (ask.isAcked) return
    ask.stopTimer = clock.setTimer(() => {
      this.#watch(ask)
      onSilent()
    }, ACK_MS)
  }

  #forget(ask: Ask): void {
    this.#asks.delete(ask.id)
    ask.stopTimer()
    this.#options.onChange()
  }
}

/** A reason can be anything; between pages it is what the log would say. */
function toPlain(command: Command): Command {
  return command.name === 'cancel' ? { ...command, reason: toReasonRecord(command.reason) } : command
}

interface Ask {
  readonly id: string
  readonly call: Call
  isAcked: boolean
  stopTimer: () => void
  /** What came, where the log has not come so far yet. */
  end: { readonly after: number; readonly end: CommandEnd } | undefined
}
