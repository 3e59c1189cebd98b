import { join } from 'node:path'
import { build, defaultClientConditions, defaultServerConditions } from 'vite'
import { bench } from './places.mjs'

/** React's build that calls `Profiler`s back. */
const profiling = [{ find: /^react-dom\/client$/, replacement: 'react-dom/profiling' }]

/**
 * Bundle files as an app's production build would, Turnloop from its sources and every peer alike.
 *
 * @param {Record<string, string>} entries File by name, relative to this folder.
 * @param {'node' | 'web'} platform
 * @param {{ isProfiled?: boolean }} [options]
 * @returns {Promise<string>} The folder that holds `NAME.mjs` for each.
 */
export async function bundle(entries, platform, { isProfiled = false } = {}) {
  const outDir = join(bench, 'dist', isProfiled ? `${platform}-profiled` : platform)
  const conditions = ['turnloop-source', ...(platform === 'web' ? defaultClientConditions : defaultServerConditions)]
  for (const [name, file] of Object.entries(entries)) {
    await build({
      root: bench,
      configFile: false,
      logLevel: 'error',
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: { conditions, dedupe: ['react', 'react-dom'], alias: isProfiled ? profiling : [] },
      ssr: { noExternal: true, resolve: { conditions } },
      build: {
        ssr: platform === 'node',
        outDir,
        emptyOutDir: false,
        target: 'es2022',
        // Names stay as they are, for profiles.
        minify: false,
        modulePreload: false,
        rolldownOptions: {
          input: { [name]: join(bench, file) },
          preserveEntrySignatures: 'strict',
          output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: `${name}-[name].mjs` },
        },
      },
    })
  }
  return outDir
}
