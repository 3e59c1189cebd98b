import { type Clock, TurnloopError } from '@turnloop/core'
import type { McpPageHandlers } from './elicitation.ts'
import type { Fetch } from './fetch.ts'
import type { McpAuth } from './mcp-auth.ts'
import type { McpClientTarget } from './open-client.ts'
import type { LeftOutTool, McpToolDetails, McpToolSettings } from './remote-tool.ts'

/** Where the tools are: at a URL, or behind a client of your own or a function that connects one. */
export type McpTarget = { readonly url: string | URL } | { readonly client: McpClientTarget }

/** Options of `mcpTools()`. `elicit` and `sample` are of use with a `url`; a client brings its own. */
export interface McpToolsOptions extends McpPageHandlers {
  /** Put before every tool's name, to keep two servers apart: `'docs_'`. */
  prefix?: string
  /** Decide about one tool: its effect, whether a person is asked, `false` to leave it out. */
  configure?(details: McpToolDetails): McpToolSettings | false | undefined
  /** Told of each tool that cannot be offered, once for each list that it is in. */
  onLeftOut?(tool: LeftOutTool): void
  /** A call ends after this long without an answer or progress; it stands still while a person is asked. Default 60,000. */
  callTimeoutMs?: number
  /** For connecting, and for each page of the list. Default 20,000. */
  connectTimeoutMs?: number
  /** With a `url`. `'auto'`, the default: Streamable HTTP, and SSE where the server does not know it. */
  transport?: 'auto' | 'http' | 'sse'
  /** With a `url`. Sent with every request; a function is asked each time. A server of another origin has to allow them. */
  headers?: Readonly<Record<string, string>> | (() => Promise<Readonly<Record<string, string>>>)
  /** With a `url`: sign in by OAuth. Made by `oauthProvider()`. */
  auth?: McpAuth
  /** With a `url`: in the place of the page's own. */
  fetch?: Fetch
  /** With a `url`: what the server is told about this page. Default: the name `turnloop`. */
  clientInfo?: { readonly name: string; readonly version: string }
  /** For tests. */
  clock?: Clock
}

type Rule = (value: unknown) => string | undefined

const isFunction: Rule = (value) => (typeof value === 'function' ? undefined : 'must be a function')
const isDelay: Rule = (value) =>
  typeof value === 'number' && value > 0 && value < 2 ** 31 ? undefined : 'must be a number of milliseconds below 2^31'
const isObject: Rule = (value) => (typeof value === 'object' && value !== null ? undefined : 'must be an object')

const RULES: { readonly [Option in keyof Required<McpToolsOptions>]: Rule } = {
  prefix: (value) =>
    typeof value === 'string' && /^[a-zA-Z0-9_-]{0,32}$/.test(value)
      ? undefined
      : 'must be at most 32 letters, digits, "_" or "-"',
  configure: isFunction,
  onLeftOut: isFunction,
  callTimeoutMs: isDelay,
  connectTimeoutMs: isDelay,
  transport: (value) =>
    ['auto', 'http', 'sse'].includes(String(value)) ? undefined : "must be 'auto', 'http' or 'sse'",
  headers: (value) => (isFunction(value) === undefined ? undefined : isObject(value)),
  auth: (value) =>
    isObject(value) === undefined && 'forServer' in Object(value) ? undefined : 'must come from oauthProvider()',
  fetch: isFunction,
  clientInfo: isObject,
  elicit: isFunction,
  sample: isFunction,
  clock: isObject,
}

const URL_ONLY: readonly (keyof McpToolsOptions)[] = [
  'transport',
  'headers',
  'auth',
  'fetch',
  'clientInfo',
  'elicit',
  'sample',
]

/** Throw `bad-option` for a target or options that `mcpTools` cannot use. */
export function checkMcpOptions(target: McpTarget, options: McpToolsOptions): void {
  // Typed, and yet whatever a page without types passes.
  const place: object = isObject(target) === undefined ? target : {}
  if (!('url' in place) && !('client' in place)) fail('expected { url } or { client }')
  if ('url' in place) checkUrl(place.url)
  if ('client' in place) checkClient(place.client)
  const rules = new Map<string, Rule>(Object.entries(RULES))
  for (const [name, value] of Object.entries(options)) {
    const rule = rules.get(name)
    if (rule === undefined) fail(`there is no option "${name}"`)
    const problem = value === undefined ? undefined : rule?.(value)
    if (problem !== undefined) fail(`"${name}" ${problem}`)
  }
  const useless = 'client' in place ? URL_ONLY.find((name) => options[name] !== undefined) : undefined
  if (useless !== undefined) fail(`"${useless}" is of use with { url } alone: set up your client instead`)
}

function checkUrl(url: unknown): void {
  try {
    const { protocol } = new URL(String(url), typeof location === 'undefined' ? undefined : location.href)
    if (protocol === 'http:' || protocol === 'https:') return
  } catch {
    // Said below.
  }
  fail(`"url" must be an http or https URL, not ${JSON.stringify(String(url))}`)
}

function checkClient(client: unknown): void {
  if (typeof client === 'function') return
  const has = (name: string): boolean => typeof client === 'object' && client !== null && name in client
  if (has('request') || (has('listTools') && has('callTool'))) return
  fail('"client" must be a client with request(), or listTools() and callTool(), or a function that makes one')
}

function fail(text: string): never {
  throw new TurnloopError('bad-option', `mcpTools: ${text}.`)
}
