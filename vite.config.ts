import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'
import { devProxy } from './apps/playground/dev-proxy.ts'
import { browserArguments, findBrowser } from './scripts/browser.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const underTest = process.env.VITEST !== undefined

// Packages are used from their sources, so nothing has to be built before a test or the playground runs.
const source = 'turnloop-source'
const resolve = { conditions: [source, ...defaultClientConditions] }
const ssr = { resolve: { conditions: [source, ...defaultServerConditions] } }

export default defineConfig({
  root: underTest ? here : `${here}apps/playground`,
  plugins: [react(), devProxy()],
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
  build: { target: 'es2022', outDir: `${here}apps/playground/dist`, emptyOutDir: true },
  test: {
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          environment: 'node',
          // Files share a process, in half the time: nothing here has state at import, and a test that leaks is caught.
          isolate: false,
          include: ['packages/*/test/*.test.ts', 'apps/*/test/*.test.ts', 'scripts/test/*.test.ts'],
          setupFiles: ['scripts/test-setup.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: {
          include: [
            'react',
            'react-dom',
            'react-dom/client',
            'react/jsx-dev-runtime',
            'zod',
            'idb',
            'zustand',
            'zustand/vanilla',
            'react-dom/server',
            'papaparse',
            'mathjs/number',
            'vitest-browser-react',
            'fast-check',
            '@cfworker/json-schema',
          ],
        },
        test: {
          name: 'browser',
          include: ['packages/*/test/browser/*.test.{ts,tsx}', 'apps/*/test/browser/*.test.{ts,tsx}'],
          setupFiles: ['scripts/test-setup.ts'],
          browser: {
            enabled: true,
            headless: true,
            ui: false,
            screenshotFailures: false,
            provider: playwright({ launchOptions: { ...findBrowser(), args: browserArguments } }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
