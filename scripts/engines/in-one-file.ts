import { build, type Plugin, type ResolvedConfig } from 'vite'

/** What tests start workers and frames with, by the paths that their server knows. */
const STARTED = [
  /^\/packages\/worker\/test\/browser\/fixtures\/.+\.ts$/,
  /^\/packages\/indexeddb\/test\/browser\/(frame-that|store-in)-.+\.ts$/,
  /^\/apps\/playground\/test\/browser\/tab-(frame|host)\.ts$/,
]

/**
 * A plugin that serves what workers and frames are started with as one file each, as a published page has it.
 *
 * Otherwise each start asks for every module of every package by itself: in Firefox, most of a second.
 */
export function inOneFile(): Plugin {
  const files = new Map<string, Promise<string>>()
  return {
    name: 'turnloop:in-one-file',
    apply: 'serve',
    configureServer({ config, middlewares }) {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url ?? '', 'http://localhost')
        if (!STARTED.some((path) => path.test(pathname))) return next()
        const file = files.get(pathname) ?? joined(pathname, config)
        files.set(pathname, file)
        file.then((code) => response.setHeader('content-type', 'text/javascript').end(code), next)
      })
    },
  }
}

/** A script with all that it imports. */
async function joined(pathname: string, { root, resolve }: ResolvedConfig): Promise<string> {
  const made = await build({
    configFile: false,
    root,
    mode: 'test',
    logLevel: 'error',
    resolve: { conditions: resolve.conditions },
    plugins: [ownAddresses(root)],
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: { entry: `${root}${pathname}`, formats: ['es'] },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const [only] = [made].flat()
  if (only === undefined || !('output' in only)) throw new Error(`${pathname} came to nothing.`)
  return only.output[0].code
}

/** Leaves the addresses of further workers as they are, so that those are asked for here as well. */
function ownAddresses(root: string): Plugin {
  return {
    name: 'turnloop:own-addresses',
    enforce: 'pre',
    // A frame without an address of its own has the origin of the page around it.
    transform: (code, id) => code.replaceAll('import.meta.url', `(self.origin + '${id.slice(root.length)}')`),
  }
}
