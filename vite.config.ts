import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { devProxy } from './apps/playground/dev-proxy.ts'
import { offlinePage } from './apps/playground/offline-page.ts'
import { ownOriginEngine } from './apps/playground/own-origin-engine.ts'
import { browserProjects } from './scripts/engines/browser-projects.ts'
import { inOneFile } from './scripts/engines/in-one-file.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const underTest = process.env.VITEST !== undefined

// Packages are used from their sources, so nothing has to be built before a test or the playground runs.
const source = 'turnloop-source'
const resolve = { conditions: [source, ...defaultClientConditions] }
const ssr = { resolve: { conditions: [source, ...defaultServerConditions] } }

/** Thousands of cells each: part of `npm test`, and too slow to run after every change. */
const MATRICES = [
  'packages/*/test/*matrix*.test.ts',
  'packages/core/test/{loop-properties,hooks-properties,reply-properties,session-chaos,tabs-chaos,review-limits-cut,review-approvals-deep}.test.ts',
  'packages/ai-sdk/test/{recordings,differential}.test.ts',
  'packages/guardrails/test/{hostile-length,pii-properties}.test.ts',
]

const inNode = {
  environment: 'node',
  // Files share a process, in half the time: nothing here has state at import, and a test that leaks is caught.
  isolate: false,
  setupFiles: ['scripts/test-setup.ts', ...(process.env.CI === undefined ? [] : ['scripts/one-seed.ts'])],
}

export default defineConfig({
  root: underTest ? here : `${here}apps/playground`,
  plugins: [react(), devProxy(), ownOriginEngine(), offlinePage(), ...(underTest ? [inOneFile()] : [])],
  resolve,
  ssr,
  worker: { format: 'es' },
  optimizeDeps: {
    // SQLite finds its .wasm beside its own module; the optimiser would move one without the other.
    exclude: ['@sqlite.org/sqlite-wasm'],
    // Workers are not found from index.html; a dependency that is found late reloads the page under the user.
    ...(!underTest && { entries: ['index.html', 'src/**/*.{ts,tsx}'] }),
  },
  server: { port: 5173 },
  build: {
    target: 'es2022',
    outDir: `${here}apps/playground/dist`,
    emptyOutDir: true,
    rolldownOptions: {
      input: [`${here}apps/playground/index.html`, `${here}apps/playground/signed-in.html`],
      output: {
        // The loop is compiled while it is loaded, beside the main thread, and not when the first turn calls it.
        codeSplitting: { groups: [{ name: 'loop', test: /packages[\\/]core[\\/]src/ }] },
        postBanner: ({ name }) => (name === 'loop' ? '//# allFunctionsCalledOnLoad' : ''),
      },
    },
  },
  test: {
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          ...inNode,
          name: 'unit',
          include: ['packages/*/test/*.test.ts', 'apps/*/test/*.test.ts', 'scripts/test/*.test.ts'],
          exclude: MATRICES,
        },
      },
      { extends: true, test: { ...inNode, name: 'matrix', include: MATRICES } },
      // Stands on what `npm run build` has made, so it runs behind it.
      { extends: true, test: { ...inNode, name: 'packed', include: ['scripts/packed/*.test.ts'] } },
      ...(underTest ? browserProjects(MATRICES) : []),
    ],
  },
})
