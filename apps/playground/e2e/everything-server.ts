import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
)

/** Start the reference server of MCP on a free port of this machine. Resolves when it answers. */
export async function startEverythingServer(): Promise<{ url: string; stop(): Promise<unknown> }> {
  const port = await freePort()
  const server = spawn(process.execPath, [SCRIPT, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // It must not outlive a run that is ended early.
  const kill = (): void => void server.kill()
  process.once('exit', kill)
  let output = ''
  for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
    output += chunk
    if (/listening on port/i.test(output)) break
  }
  server.stderr.resume()
  if (server.exitCode !== null) throw new Error(`The everything server did not start: ${output}`)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () => {
      process.off('exit', kill)
      const exited = once(server, 'exit')
      kill()
      return exited
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
