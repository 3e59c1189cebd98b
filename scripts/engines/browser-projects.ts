import { playwright } from '@vitest/browser-playwright'
import type { TestProjectConfiguration } from 'vitest/config'
import type { BrowserInstanceOption, BrowserProviderOption } from 'vitest/node'
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
  'fast-check',
  '@cfworker/json-schema',
  'quickjs-wasi',
  'ai',
  '@ai-sdk/react',
  // What a set-up file names, it is optimised with, too.
  '@vitest/browser/locators',
  '@modelcontextprotocol/sdk/client/auth.js',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/client/sse.js',
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
  '@modelcontextprotocol/sdk/types.js',
  '@modelcontextprotocol/sdk/validation/cfworker',
]

const SETUP = ['scripts/test-setup.ts']

/**
 * The tests that need a real browser, as one Vitest project per engine: `browser` is Chromium, then `firefox` and `webkit`
 * where they are installed.
 */
export function browserProjects(): TestProjectConfiguration[] {
  const launchOptions = { ...findBrowser(), args: [...browserArguments, '--enable-features=WebMCP'] }
  const others = findEngines().filter(({ missing }) => missing === undefined)
  return [
    inBrowser('browser', { browser: 'chromium' }, playwright({ launchOptions })),
    ...others.map(({ name, by, launch }) =>
      inBrowser(name, { browser: name }, by === 'webdriver' ? webKitGtk() : playwright({ launchOptions: launch })),
    ),
  ]
}

function inBrowser(
  name: string,
  instance: BrowserInstanceOption,
  provider: BrowserProviderOption,
): TestProjectConfiguration {
  return {
    extends: true,
    optimizeDeps: { include: DEPENDENCIES },
    test: {
      name,
      include: ['packages/*/test/browser/*.test.{ts,tsx}', 'apps/*/test/browser/*.test.{ts,tsx}'],
      setupFiles: name === 'browser' ? SETUP : [...SETUP, 'scripts/engines/dom-locators.ts'],
      browser: {
        enabled: true,
        // WebKitGTK has a display that nobody sees instead.
        headless: provider.name !== 'webkit-gtk',
        ui: false,
        screenshotFailures: false,
        commands: mcpCommands,
        provider,
        instances: [instance],
      },
    },
  }
}
