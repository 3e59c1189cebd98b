import type { Clock } from '@turnloop/core'
import { abortable } from './abortable.ts'
import { listPage, type McpClientLike, NEVER_MS } from './client-like.ts'
import { mcpError } from './mcp-error.ts'
import { toServerError } from './server-answer.ts'

/** More than any server has; one that pages in a circle ends here. */
const MOST_PAGES = 500

/** Ask for all pages of the list. Rejects with `ToolError` and a reason. */
export async function listAll(
  client: McpClientLike,
  options: { readonly label: string; readonly clock: Clock; readonly connectTimeoutMs: number },
): Promise<readonly unknown[]> {
  const { label, clock, connectTimeoutMs } = options
  const tools: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    if (cursor !== undefined) seen.add(cursor)
    const page = await within(connectTimeoutMs, clock, label, (signal) =>
      listPage(client, cursor, { signal, timeout: NEVER_MS }),
    )
    const { tools: items, nextCursor } = readPage(page, label)
    for (const item of items) tools.push(item)
    cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
    if (cursor !== undefined && (seen.has(cursor) || seen.size >= MOST_PAGES)) {
      throw mcpError('not-mcp', `${label}: its list of tools never ends: page "${cursor}" comes again.`)
    }
  } while (cursor !== undefined)
  return tools
}

function readPage(page: unknown, label: string): { tools: readonly unknown[]; nextCursor?: unknown } {
  if (typeof page === 'object' && page !== null && 'tools' in page && Array.isArray(page.tools)) {
    return { tools: page.tools, nextCursor: 'nextCursor' in page ? page.nextCursor : undefined }
  }
  throw mcpError('not-mcp', `${label}: its list of tools is no list.`)
}

async function within<T>(
  limitMs: number,
  clock: Clock,
  label: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const stop = clock.setTimer(
    () => controller.abort(mcpError('timed-out', `${label} did not list its tools within ${limitMs} ms.`)),
    limitMs,
  )
  try {
    return await abortable(work(controller.signal), controller.signal)
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : toServerError(error, label)
  } finally {
    stop()
  }
}
