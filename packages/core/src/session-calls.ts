import { onAbort } from './abort.ts'
import { toGivenUp } from './command-ends.ts'
import { toReasonRecord } from './errors.ts'
import { type Call, SessionAsks, type SessionAsksOptions } from './session-asks.ts'
import type { CommandOrigin } from './session-commands.ts'
import { sessionClosed } from './session-errors.ts'
import type { Command, CommandResult } from './session-protocol.ts'
import { SessionService, type SessionServiceOptions } from './session-service.ts'

/** What commands of this page, and of others, are routed by. */
export interface SessionCallsOptions extends SessionAsksOptions, SessionServiceOptions {
  readonly sessionId: string
  /** Who carries commands out now: this page as the driver, or with nobody to share with; whoever drives; nobody any more. */
  place(): 'here' | 'alone' | 'elsewhere' | 'nowhere'
  /** Something waits for a driver. */
  onAsk(): void
}

/** Brings each command to where it can be carried out, however often that changes on the way. */
export class SessionCalls {
  readonly asks: SessionAsks
  readonly service: SessionService
  readonly #options: SessionCallsOptions
  /** What is carried out here now. */
  readonly #here = new Set<Call>()

  constructor(options: SessionCallsOptions) {
    this.#options = options
    this.asks = new SessionAsks(options)
    this.service = new SessionService(options)
  }

  /** Have something done. Where that is here, a turn has been put in its place before this returns. */
  run(command: Command, origin: CommandOrigin = {}): Promise<CommandResult> {
    if (this.#options.place() === 'alone') return this.#options.perform(command, origin)
    let call: Call | undefined
    const done = new Promise<CommandResult>((resolve, reject) => {
      call = { command, origin, resolve, reject }
    })
    if (call === undefined) return done
    this.#bring(call)
    return this.#followed(done, call)
  }

  /** Aborting the signal of an input gives it up, wherever that has come to. */
  #followed(done: Promise<CommandResult>, call: Call): Promise<CommandResult> {
    const { command, origin } = call
    const { signal } = origin
    if (signal === undefined || command.name !== 'send') return done
    const unlink = onAbort(signal, () => {
      if (this.asks.giveUp(call, signal.reason)) return
      const { turnId } = command.input
      this.run({ name: 'drop', turnId, reason: toReasonRecord(signal.reason) }).catch(() => {})
    })
    return done.finally(unlink)
  }

  /** This page lets others drive: what is not done waits in a queue that is held, and stored. */
  park(): void {
    for (const call of this.#here) call.isParked = true
  }

  /** Bring everything that waits to where it belongs now, in order. */
  bringAll(): void {
    for (const call of this.asks.takeAll()) this.#bring(call)
  }

  #bring(call: Call): void {
    switch (this.#options.place()) {
      case 'alone':
        this.#options.perform(call.command, call.origin).then(call.resolve, call.reject)
        return
      case 'here':
        this.#here.add(call)
        this.service
          .perform(call.command, call.origin)
          .then((end) => ('lost' in end ? this.#bringAgain(call) : call.resolve(end)), call.reject)
          .finally(() => this.#here.delete(call))
        return
      case 'elsewhere':
        this.asks.add(call)
        if (!call.isParked) this.#options.onAsk()
        call.isParked = false
        return
      case 'nowhere':
        this.#giveUp(call)
    }
  }

  /** It was begun here and another page has taken over: that one has it now, or is told. */
  #bringAgain(call: Call): void {
    call.origin.isAgain = true
    this.#bring(call)
  }

  #giveUp({ command, resolve, reject }: Call): void {
    const { view, sessionId } = this.#options
    if (command.name === 'send') resolve(toGivenUp(command, 'the session was closed', view))
    else reject(sessionClosed(sessionId))
  }
}
