/// <reference types="node" />
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@turnloop/core'
import { deferred } from '@turnloop/testing'

/** One request as the server got it, and the means to answer it. */
export interface Exchange {
  /** Counts from 0. */
  readonly index: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: JsonObject
  /** Resolves when the connection is gone, whoever closed it. */
  readonly closed: Promise<void>
  /** Send server-sent events, one per value. */
  send(...events: readonly unknown[]): void
  /** Send the events and end the answer. */
  finish(...events: readonly unknown[]): void
  /** Answer with a status and a body at once. */
  answer(status: number, body: string, headers?: Record<string, string>): void
  /** Break the connection. */
  cut(): void
}

export interface ProviderServer {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  close(): Promise<void>
}

/** Start a server on this machine that answers each POST as told. */
export async function serve(respond: (exchange: Exchange) => void | Promise<void>): Promise<ProviderServer> {
  const exchanges: Exchange[] = []
  const server = createServer(async (incoming, outgoing) => {
    const exchange = await createExchange(exchanges.length, incoming, outgoing)
    exchanges.push(exchange)
    await respond(exchange)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function createExchange(index: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<Exchange> {
  const closed = deferred()
  outgoing.on('close', () => closed.resolve())
  let text = ''
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk
  const send = (...events: readonly unknown[]): void => {
    if (!outgoing.headersSent) outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) outgoing.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  }
  return {
    index,
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: JSON.parse(text),
    closed: closed.promise,
    send,
    finish(...events) {
      send(...events)
      outgoing.end()
    },
    answer(status, body, headers = { 'content-type': 'application/json' }) {
      outgoing.writeHead(status, headers).end(body)
    },
    cut: () => outgoing.destroy(),
  }
}
