import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { isNamedByContent, type OfflinePlan } from './src/offline/offline-plan.ts'

const WORKER = 'sw.js'
const SOURCE = fileURLToPath(new URL('./src/offline/service-worker.ts', import.meta.url))

/** Larger files are kept once they were used: the engine for models from a file. */
const LARGEST_BYTES = 5_000_000

/** What nobody needs without a network: where a sign-in at a server comes back. */
const ONLINE_ONLY: ReadonlySet<string> = new Set(['/signed-in.html', '/index.html', `/${WORKER}`])

/** A file of the page, by its path. */
export interface BuiltFile {
  readonly path: string
  readonly content: string | Uint8Array
}

/** What of a build is kept when, and the version that its content makes. The page itself goes by `/`. */
export function offlinePlan(built: readonly BuiltFile[]): OfflinePlan {
  const kept = built.filter(({ path }) => !ONLINE_ONLY.has(path) && !path.endsWith('.map'))
  const isLarge = ({ content }: BuiltFile): boolean => content.length > LARGEST_BYTES
  const hash = createHash('sha256')
  for (const { path, content } of [...built].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(path)
    if (!isNamedByContent(path)) hash.update(content)
  }
  const paths = (files: readonly BuiltFile[]): string[] => files.map(({ path }) => path).sort()
  return {
    version: hash.digest('hex').slice(0, 12),
    files: ['/', ...paths(kept.filter((file) => !isLarge(file)))],
    later: paths(kept.filter(isLarge)),
  }
}

/** Give the built page a service worker that keeps it for times without a network. There is none while developing. */
export function offlinePage(): Plugin {
  let publicFolder = ''
  return {
    name: 'turnloop-offline-page',
    apply: 'build',
    enforce: 'post',
    configResolved: ({ publicDir }) => {
      publicFolder = publicDir
    },
    buildStart() {
      this.emitFile({ type: 'chunk', id: SOURCE, fileName: WORKER })
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const worker = bundle[WORKER]
        if (worker?.type !== 'chunk') throw new Error(`The build has no ${WORKER}.`)
        if (worker.imports.length > 0)
          throw new Error(`${WORKER} has to stand alone, and imports ${worker.imports.join(', ')}.`)
        const files = Object.values(bundle)
          .filter((file) => file !== worker)
          .map((file) => ({ path: `/${file.fileName}`, content: file.type === 'chunk' ? file.code : file.source }))
        const plan = offlinePlan([...files, ...publicFiles(publicFolder)])
        worker.code = `const OFFLINE_PLAN = ${JSON.stringify(plan)};\n${worker.code}`
      },
    },
  }
}

function publicFiles(folder: string): BuiltFile[] {
  return readdirSync(folder).map((name) => ({ path: `/${name}`, content: readFileSync(join(folder, name)) }))
}
