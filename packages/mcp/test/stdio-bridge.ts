/// <reference types="node" />
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { letIn } from './fake-server.ts'

/** A server that speaks over its standard streams, for one page of any origin. */
export interface BridgedServer {
  readonly url: string
  stop(): Promise<void>
}

/** Start a server's script, and pass on what it and a page say to each other, word by word. */
export async function bridgeToPage(script: string, env: Record<string, string> = {}): Promise<BridgedServer> {
  const child = new StdioClientTransport({ command: process.execPath, args: [script], env, stderr: 'ignore' })
  const page = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() })
  // What cannot be delivered was for a stream that is gone.
  child.onmessage = (message) => void page.send(message).catch(() => {})
  page.onmessage = (message) => void child.send(message).catch(() => {})
  await child.start()
  await page.start()
  const server = createServer((request, response) => {
    letIn(response)
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else page.handleRequest(request, response).catch((error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      server.closeAllConnections()
      await Promise.all([page.close(), child.close(), new Promise((resolve) => server.close(resolve))])
    },
  }
}
