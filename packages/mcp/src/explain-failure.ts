import type { ToolError } from '@turnloop/core'
import type { Fetch } from './fetch.ts'
import { mcpError } from './mcp-error.ts'

/** What a page sends to an MCP server, and a server of another origin has to allow. */
const SENT_HEADERS = 'content-type, accept, authorization, mcp-session-id, mcp-protocol-version, last-event-id'

/** How far a connection had come. `first`: nothing was answered yet. `second`: `initialize` alone. `proven`: more. */
export type ConnectStage = 'first' | 'second' | 'proven'

/** Where a request failed without an answer. */
export interface FailedFetch {
  readonly url: URL
  readonly fetch: Fetch
  readonly stage: ConnectStage
}

/**
 * Say why a request failed without an answer.
 *
 * A browser tells a page nothing about it, so it is told from what worked before; and before anything has, from whether
 * the server answers a request that needs no leave.
 */
export async function explainFailedFetch(cause: unknown, { url, fetch, stage }: FailedFetch): Promise<ToolError> {
  const server = `The MCP server ${url.href}`
  if (stage === 'proven' || (stage === 'second' && !crossesOrigin(url))) {
    return mcpError('connection-lost', `${server}: the connection broke before the answer came.`, {
      cause,
      facts: { url: url.href },
    })
  }
  if (stage === 'second') {
    const header = 'Access-Control-Allow-Headers: mcp-protocol-version, mcp-session-id'
    return corsError(url, `answered, but refuses the next request of this page. It has to send "${header}"`, header)
  }
  if (crossesOrigin(url) && (await answersAtAll(url, fetch))) {
    const header = 'Access-Control-Allow-Origin'
    return corsError(
      url,
      'is there, but does not let this page in. For POST, GET and DELETE it has to send ' +
        `"${header}: ${location.origin}" and "Access-Control-Allow-Headers: ${SENT_HEADERS}"`,
      header,
    )
  }
  return mcpError('unreachable', `${server} cannot be reached: ${unreachableHint(url)}`, {
    cause,
    facts: { url: url.href },
  })
}

/** An answer with an error status. */
export interface Refusal {
  readonly url: URL
  readonly status: number
  readonly text: string
  /** `initialize` had worked, but no session id was seen. */
  readonly isHiddenSession: boolean
}

/** Say what an error status means. */
export function explainStatus({ url, status, text, isHiddenSession }: Refusal): ToolError {
  if (isHiddenSession) {
    const header = 'Access-Control-Expose-Headers: Mcp-Session-Id'
    return corsError(
      url,
      `takes this for a new session, since the page could not read its session id. It has to send "${header}" with its answers`,
      header,
    )
  }
  const facts = { url: url.href, status }
  if (status === 401) return mcpError('needs-auth', `The MCP server ${url.href} wants a sign-in (401).`, { facts })
  const hint = status === 403 ? ' It may not allow the origin of this page.' : ''
  const said = text.trim() === '' ? '' : `: ${text.trim().slice(0, 300)}`
  return mcpError('refused', `The MCP server ${url.href} answered ${status}${said}.${hint}`, { facts })
}

/** Whether this page and the server have different origins; `false` where there is no page. */
export function crossesOrigin(url: URL): boolean {
  return typeof location !== 'undefined' && location.origin !== url.origin
}

function corsError(url: URL, problem: string, header: string): ToolError {
  return mcpError('cors', `The MCP server ${url.href} ${problem}.`, { facts: { url: url.href, header } })
}

const PROBE_MS = 3_000

/** A request in this mode is sent whatever the server allows; its answer cannot be read, but that it came can be seen. */
async function answersAtAll(url: URL, fetch: Fetch): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    const response = await fetch(url, { method: 'HEAD', mode: 'no-cors', credentials: 'omit', signal })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}

function unreachableHint(url: URL): string {
  if (typeof location === 'undefined') return 'it is down, or the address is wrong.'
  if (location.protocol === 'https:' && url.protocol === 'http:') {
    return 'a page on https may not ask a server on http. Serve it over https.'
  }
  return "it is down, the address is wrong, or this page's Content-Security-Policy (connect-src) forbids it."
}
