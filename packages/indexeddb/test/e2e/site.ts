/// <reference types="node" />
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build, defaultClientConditions } from 'vite'
import { OutsideWorld } from './outside-world.ts'

/** The page, built and served, and the world outside of it. */
export interface Site {
  readonly url: string
  readonly world: OutsideWorld
  close(): Promise<void>
}

/** Build the page from the packages' sources and serve it from memory. What the page posts goes to `world`. */
export async function openSite(): Promise<Site> {
  const files = await buildPage()
  const world = new OutsideWorld()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://page')
    request.resume()
    if (request.method === 'POST') return world.hear(pathname, searchParams, (text) => response.end(text))
    const path = pathname === '/' ? '/index.html' : pathname
    const content = files.get(path)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    if (content === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    world,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function buildPage(): Promise<Map<string, string | Uint8Array>> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(new URL('./page', import.meta.url)),
    resolve: { conditions: ['turnloop-source', ...defaultClientConditions] },
    build: { write: false, target: 'es2022', minify: false, modulePreload: false },
  })
  const outputs = Array.isArray(built) ? built : [built]
  const files = outputs.flatMap((output) => ('output' in output ? output.output : []))
  return new Map(files.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]))
}
