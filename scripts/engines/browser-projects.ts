import { playwright } from '@vitest/browser-playwright'
import type { TestProjectConfiguration } from 'vitest/config'
import type { BrowserProviderOption } from 'vitest/node'
import { mcpCommands } from '../../packages/mcp/test/browser/server-commands.ts'
import { browserArguments, findBrowser } from '../browser.mjs'
import { findEngines } from './engines.mjs'
import { webKitGtk } from './webkit-gtk.ts'

/** Optimised before the first test: one that is found late reloads the page under it. */
const DEPENDENCIES = [
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
  'vitest-browser-react/pure',
  'axe-core',
  'fast-check',
  '@cfworker/json-schema',
  'quickjs-wasi',
  'ai',
  '@ai-sdk/react',
  '@assistant-ui/react',
  // What a set-up file names, it is optimised with, too.
  '@vitest/browser/locators',
  '@modelcontextprotocol/sdk/client/auth.js',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/client/sse.js',
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
  '@modelcontextprotocol/sdk/types.js',
  '@modelcontextprotocol/sdk/validation/cfworker',
]

const isCi = process.env.CI !== undefined

const SETUP = ['scripts/test-setup.ts', ...(isCi ? ['scripts/one-seed.ts'] : [])]

/** Unit tests that need what only Node has: its servers, its files, its list of listeners, its memory, a page without storage. */
const NODE_ONLY = [
  'packages/core/test/{bug-cases-e,hooks-bounds,hooks-examples,review-approvals-session,scenarios-numbers}.test.ts',
  'packages/ai-sdk/test/wire-*.test.ts',
  'packages/indexeddb/test/indexed-db-store.test.ts',
  'packages/worker/test/quick-js-{sandbox,tool}.test.ts',
]

/** Those that count the tasks of the event loop, whose order is an engine's own. */
const TASK_COUNTERS = [
  'packages/core/test/{ask-model-limits,model-step-cuts}.test.ts',
  'packages/worker/test/{result-stream,time-limit,worker-start}.test.ts',
]

/** What a set of tests is, whichever engine runs it. */
interface Suite {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  readonly isolate?: boolean
}

const IN_PAGE: Suite = { include: ['packages/*/test/browser/*.test.{ts,tsx}', 'apps/*/test/browser/*.test.{ts,tsx}'] }

/**
 * The tests that run in real browsers, as Vitest projects: `browser` is what needs one, in Chromium, and `browser-unit` what
 * Node runs otherwise; `firefox`, `firefox-unit`, `webkit` and `webkit-unit` are the same in other engines, where those are
 * installed.
 *
 * @param matrices What is left out of the unit tests, as in Node.
 */
export function browserProjects(matrices: readonly string[]): TestProjectConfiguration[] {
  const launchOptions = { ...findBrowser(), args: [...browserArguments, '--enable-features=WebMCP'] }
  const chromium: BrowserEngine = { name: 'browser', browser: 'chromium', provider: playwright({ launchOptions }) }
  const others = findEngines()
    .filter(({ missing }) => missing === undefined)
    .map(({ name, by, launch }): BrowserEngine => {
      const provider = by === 'webdriver' ? webKitGtk() : playwright({ launchOptions: launch })
      return { name, browser: name, provider }
    })
  const unit: Suite = {
    include: ['packages/{core,testing,guardrails,indexeddb,worker,ai-sdk}/test/*.test.ts'],
    exclude: [...matrices, ...NODE_ONLY, ...TASK_COUNTERS],
    // As in Node: in one page, they take a fraction of the time.
    isolate: false,
  }
  // The examples show the components of others, driven as only Chromium is here: by keys.
  const elsewhere = { ...IN_PAGE, exclude: ['apps/examples/**'] }
  return [chromium, ...others].flatMap((engine) => [
    inBrowser(engine, engine === chromium ? IN_PAGE : elsewhere),
    inBrowser({ ...engine, name: `${engine.name}-unit` }, unit),
  ])
}

interface BrowserEngine {
  readonly name: string
  readonly browser: 'chromium' | 'firefox' | 'webkit'
  readonly provider: BrowserProviderOption
}

function inBrowser({ name, browser, provider }: BrowserEngine, suite: Suite): TestProjectConfiguration {
  const { include, exclude = [], isolate = true } = suite
  return {
    extends: true,
    optimizeDeps: { include: DEPENDENCIES },
    test: {
      name,
      isolate,
      // Tried again where machines are slow and shared, as the end-to-end tests are, and then named by `npm test`.
      retry: isCi ? 2 : 0,
      include: [...include],
      exclude: [...exclude],
      setupFiles: browser === 'chromium' ? SETUP : [...SETUP, 'scripts/engines/dom-locators.ts'],
      browser: {
        enabled: true,
        // WebKitGTK has a display that nobody sees instead.
        headless: provider.name !== 'webkit-gtk',
        ui: false,
        screenshotFailures: false,
        commands: mcpCommands,
        provider,
        instances: [{ browser }],
      },
    },
  }
}
