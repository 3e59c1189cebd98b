/// <reference types="node" />
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'tsdown'
import { build, createServer, preview } from 'vite'

/** An application of its own, with the packages in its node_modules as npm would unpack them. */
export interface PackedApp {
  /** Serve it as Vite does while one works on it. */
  develop(): Promise<Served>
  /** Build it, and serve what came out with headers of one's own. */
  serveBuilt(headers: Record<string, string>): Promise<Served>
  remove(): Promise<void>
}

/** A running server. */
export interface Served {
  readonly url: string
  close(): Promise<void>
}

const packages = fileURLToPath(new URL('../../..', import.meta.url))

/** Build core and worker from their sources, and install them in a new application. */
export async function packApp(): Promise<PackedApp> {
  const root = await mkdtemp(join(tmpdir(), 'turnloop-packed-'))
  await cp(fileURLToPath(new URL('app', import.meta.url)), root, { recursive: true })
  await Promise.all([
    pack('core', root, { index: './src/index.ts', 'json-schema': './src/json-schema.ts' }),
    pack('worker', root, { index: './src/index.ts', serve: './src/serve.ts', sandbox: './src/sandbox.ts' }),
    install('quickjs-wasi', root),
    install('@cfworker/json-schema', root),
  ])
  // The one line of configuration that the guide asks for.
  const config = { configFile: false as const, root, logLevel: 'error' as const, worker: { format: 'es' as const } }
  let isBuilt = false
  return {
    async develop() {
      const server = await createServer({ ...config, server: { port: 0 } })
      await server.listen()
      return { url: firstOf(server.resolvedUrls), close: () => server.close() }
    },
    async serveBuilt(headers) {
      if (!isBuilt) await build({ ...config, build: { target: 'es2022' } })
      isBuilt = true
      const server = await preview({ ...config, preview: { port: 0, headers } })
      return { url: firstOf(server.resolvedUrls), close: () => server.close() }
    },
    remove: () => rm(root, { recursive: true }),
  }
}

async function pack(name: string, root: string, entry: Record<string, string>): Promise<void> {
  const cwd = join(packages, name)
  const to = join(root, 'node_modules/@turnloop', name)
  await mkdir(to, { recursive: true })
  await cp(join(cwd, 'package.json'), join(to, 'package.json'))
  await bundle({
    cwd,
    config: false,
    logLevel: 'error',
    entry,
    outDir: join(to, 'dist'),
    deps: { neverBundle: [/^@turnloop\//] },
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    dts: false,
  })
}

async function install(name: string, root: string): Promise<void> {
  const require = createRequire(join(packages, 'worker/package.json'))
  const to = join(root, 'node_modules', name)
  await cp(folderOf(require.resolve(name), name), to, { recursive: true })
}

/** The folder of a package, from the path of one of its files. */
function folderOf(file: string, name: string): string {
  const folder = dirname(file)
  return folder.endsWith(join('node_modules', name)) ? folder : folderOf(folder, name)
}

function firstOf(urls: { local: string[] } | null): string {
  const [url] = urls?.local ?? []
  if (!url) throw new Error('the server listens nowhere')
  return url
}
