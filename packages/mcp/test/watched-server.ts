/// <reference types="node" />
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startEverythingServer } from './everything-server.ts'

/** The everything server, and what reached it. */
export interface WatchedServer {
  readonly url: string
  /** The methods of the messages that it was sent and took, in order. */
  readonly seen: readonly string[]
  stop(): Promise<void>
}

/** Start the everything server behind a listener that notes what comes by. */
export async function startWatchedServer(): Promise<WatchedServer> {
  const everything = await startEverythingServer()
  const seen: string[] = []
  const listener = createServer((asked, answer) => {
    let body = ''
    const onward = send(
      { host: '127.0.0.1', port: everything.port, method: asked.method, path: asked.url, headers: asked.headers },
      (answered) => {
        const { method } = body.startsWith('{') ? JSON.parse(body) : { method: undefined }
        if (typeof method === 'string' && (answered.statusCode ?? 500) < 300) seen.push(method)
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answer.flushHeaders()
        answered.pipe(answer)
      },
    )
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.on('data', (chunk: Buffer) => {
      body += chunk
    })
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  // It listens on a port.
  const { port } = listener.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    stop: async () => {
      listener.closeAllConnections()
      await Promise.all([everything.stop(), new Promise((resolve) => listener.close(resolve))])
    },
  }
}
