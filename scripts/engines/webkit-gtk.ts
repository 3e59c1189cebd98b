import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node'
import { WEBKIT_GTK } from './engines.mjs'

/**
 * Run Vitest's browser mode in WebKitGTK as a Linux distribution ships it, by WebDriver, on a display that nobody sees.
 *
 * Playwright's WebKit is a build of its own, which not every machine can have. There are no mocks of modules, no user events
 * and no locators' commands here. Source: W3C WebDriver; `webkitgtk:browserOptions` is WebKitGTK's own capability.
 */
export function webKitGtk(): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'webkit-gtk',
    supportedBrowser: ['webkit'],
    options: {},
    providerFactory: () => new WebKitGtk(),
  })
}

class WebKitGtk implements BrowserProvider {
  readonly name = 'webkit-gtk'
  readonly supportsParallelism = false
  readonly #children: ChildProcess[] = []
  #session: Promise<string> | undefined

  getCommandsContext(): Record<string, unknown> {
    return {}
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    this.#session ??= this.#open()
    await post(`${await this.#session}/url`, { url })
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined)
    if (session !== undefined) await fetch(session, { method: 'DELETE' }).catch(() => undefined)
    for (const child of this.#children.splice(0)) child.kill()
  }

  /** The session's address. */
  async #open(): Promise<string> {
    const port = await freePort()
    const display = await this.#startDisplay()
    this.#start(WEBKIT_GTK.driver, [`--port=${port}`], { DISPLAY: display })
    const driver = `http://127.0.0.1:${port}`
    await untilReady(driver)
    const binary = WEBKIT_GTK.browsers.find((path) => existsSync(path))
    const options = { binary, args: ['--automation', '--javascript-can-open-windows-automatically=true'] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
    const { sessionId } = await post(`${driver}/session`, { capabilities })
    return `${driver}/session/${String(sessionId)}`
  }

  /** Resolves with its name; the server picks a number that is free. */
  async #startDisplay(): Promise<string> {
    const size = ['-screen', '0', '1280x900x24', '-nolisten', 'tcp']
    const child = this.#start(WEBKIT_GTK.display, ['-displayfd', '3', ...size], {})
    // The fourth of its streams is the pipe asked for below.
    const pipe = child.stdio[3] as Readable
    const [chunk] = await once(pipe, 'data')
    return `:${String(chunk).trim()}`
  }

  #start(command: string, given: readonly string[], env: Record<string, string>): ChildProcess {
    const child = spawn(command, given, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    this.#children.push(child)
    return child
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilReady(driver: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (
      await fetch(`${driver}/status`)
        .then(({ ok }) => ok)
        .catch(() => false)
    )
      return
    await wait(100)
  }
  throw new Error(`${WEBKIT_GTK.driver} did not start within 30 s.`)
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`WebDriver: ${url} answered ${response.status}: ${value?.message ?? ''}`)
  return value ?? {}
}
