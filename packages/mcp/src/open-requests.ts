import type { Clock } from '@turnloop/core'

/** The id of a JSON-RPC request. */
export type RequestId = string | number

/** What comes and goes over a transport. */
export interface RpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: RequestId
  readonly method?: string
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: unknown }
}

/** The transport of the SDK, as far as it is used here. */
export interface TransportLike {
  start(): Promise<void>
  send(message: never, options?: { onresumptiontoken?: (token: string) => void }): Promise<void>
  close(): Promise<void>
  onmessage?: ((message: never, extra?: never) => void) | undefined
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}

/** Marks the answer to a request whose stream ended without one; never on the wire. */
export const STREAM_LOST: object = Object.freeze({})

/** After its end is seen, what a stream brought last may still be on its way through the parser. */
const DRAIN_MS = 100

/**
 * The requests that wait for an answer, so that one whose stream breaks does not wait for ever.
 *
 * A stream whose events have ids is taken up again by the transport; a request on one without is answered here, with an
 * error that carries `STREAM_LOST`.
 */
export class OpenRequests {
  readonly #clock: Clock
  readonly #open = new Map<RequestId, { resumable: boolean }>()
  readonly #owners = new Map<string, RequestId>()
  #answer: (message: RpcMessage) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Listen to a transport: its requests, their answers and the ids of their events. Changes its `send` alone. */
  watch(transport: TransportLike): void {
    const send = transport.send.bind(transport)
    transport.send = (message: never, options) => {
      // JSON-RPC, of which the two versions of the SDK share no type.
      const { id, method } = message as RpcMessage
      if (id === undefined || method === undefined) return send(message, options)
      this.#open.set(id, { resumable: false })
      return send(message, { ...options, onresumptiontoken: (token) => this.#resumable(id, token) })
    }
    // As above.
    this.#answer = (message) => transport.onmessage?.(message as never)
  }

  /** An answer came. */
  answered(id: RequestId): void {
    this.#open.delete(id)
    for (const [token, owner] of this.#owners) if (owner === id) this.#owners.delete(token)
  }

  /** The request that a stream with this event id belongs to. */
  ownerOf(token: string | null): RequestId | undefined {
    return token === null ? undefined : this.#owners.get(token)
  }

  /** The stream of a request ended. */
  streamEnded(id: RequestId): void {
    this.#clock.setTimer(() => {
      if (this.#open.get(id)?.resumable === false) this.fail(id)
    }, DRAIN_MS)
  }

  /** Answer a request that will get no other answer. */
  fail(id: RequestId): void {
    if (!this.#open.has(id)) return
    this.answered(id)
    this.#answer({
      jsonrpc: '2.0',
      id,
      error: { code: -32_000, message: 'The connection broke before the answer came', data: STREAM_LOST },
    })
  }

  #resumable(id: RequestId, token: string): void {
    const request = this.#open.get(id)
    if (request === undefined) return
    request.resumable = true
    // Only the newest id is asked for.
    for (const [known, owner] of this.#owners) if (owner === id) this.#owners.delete(known)
    this.#owners.set(token, id)
  }
}
