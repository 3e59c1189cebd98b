import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A copy of the built page at an address of its own, of which a newer version can be released. */
export interface ReleasedSite {
  readonly address: string
  release(): void
  stop(): Promise<void>
}

/** Serve what another server has; once released, as another version. */
export async function startReleasedSite(original: string): Promise<ReleasedSite> {
  let isReleased = false
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const found = await fetch(new URL(request.url ?? '/', original))
      const body = Buffer.from(await found.arrayBuffer())
      const isWorker = request.url === '/sw.js' && isReleased
      response.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? 'text/plain' })
      response.end(isWorker ? body.toString().replace(/"version":"\w+"/, '"version":"newer"') : body)
    }
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/`,
    release: () => {
      isReleased = true
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
