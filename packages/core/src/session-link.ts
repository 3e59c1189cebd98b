import { randomId } from './random-id.ts'
import type { SessionCalls } from './session-calls.ts'
import type { SessionChannel, SessionLine } from './session-channel.ts'
import type { SessionMirror } from './session-mirror.ts'
import {
  type DriverMessage,
  isFromDriver,
  readMessage,
  type SessionMessage,
  type SessionMessageBody,
  toMessage,
} from './session-protocol.ts'
import type { SessionWards } from './session-wards.ts'

/** Who hears what comes over a link. */
export interface SessionHearers {
  readonly mirror: SessionMirror
  readonly calls: SessionCalls
  readonly wards: SessionWards
  /** Whether commands of others are taken. */
  isServing(): boolean
  onDriver(message: DriverMessage): void
}

/** One page's link to the others that have its session open. */
export class SessionLink {
  readonly page: string = randomId()
  #line: SessionLine | undefined

  /** Begin to hear. Throws where there is no channel. */
  open(sessionId: string, channel: SessionChannel, hearers: SessionHearers): void {
    const hear = (data: unknown): void => {
      const message = readMessage(data)
      if (message !== undefined && this.#line !== undefined) hand(message, hearers)
    }
    this.#line = channel.join(sessionId, hear, this.page)
  }

  /** Say something to all of them. Throws for what cannot be copied. */
  post(body: SessionMessageBody): void {
    this.#line?.post(toMessage(this.page, body))
  }

  close(): void {
    this.#line?.leave()
    this.#line = undefined
  }
}

function hand(message: SessionMessage, hearers: SessionHearers): void {
  const { mirror, calls, wards, isServing, onDriver } = hearers
  switch (message.kind) {
    case 'hello':
      mirror.add(message.from, message.after)
      return
    case 'bye':
      mirror.remove(message.from)
      return
    case 'command':
      if (isServing()) calls.service.serve(message)
      else wards.keep(message)
      return
    case 'ack':
      wards.forget(message.id)
      calls.asks.noteAck(message.id)
      return
    case 'done':
      calls.asks.noteDone(message.id, message.after, message.end)
      return
    default:
      if (isFromDriver(message)) onDriver(message)
  }
}
