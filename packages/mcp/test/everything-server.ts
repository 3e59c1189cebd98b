/// <reference types="node" />
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The reference server of the protocol, in a process of its own. */
export interface EverythingServer {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const SCRIPT = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
)

/** Start it over Streamable HTTP or SSE, on a free port or the one given. Resolves when it answers. */
export async function startEverythingServer(
  options: { transport?: 'streamableHttp' | 'sse'; port?: number } = {},
): Promise<EverythingServer> {
  const { transport = 'streamableHttp', port = await freePort() } = options
  const child = spawn(process.execPath, [SCRIPT, transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // It must not outlive a run that is ended early.
  const kill = (): void => void child.kill()
  process.once('exit', kill)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk
      if (/listening on port|running on port/i.test(output)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`the everything server did not start: ${output}`)))
  })
  return {
    url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    port,
    stop: () => {
      process.off('exit', kill)
      child.kill()
      return exited
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
