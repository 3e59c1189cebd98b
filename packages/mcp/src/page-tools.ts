import { type CallToolResult, type Tool, ToolError, type ToolSource } from '@turnloop/core'
import { readResult } from './remote-result.ts'
import {
  type LeftOutTool,
  type McpToolDetails,
  type McpToolSettings,
  type RemoteCall,
  toRemoteTools,
} from './remote-tool.ts'
import {
  listInPage,
  toAnswer,
  toPlain,
  WEB_MCP,
  type WebMcpListedTool,
  type WebMcpRegistry,
  webMcpRegistry,
} from './web-mcp.ts'

/** Options of `pageTools`. */
export interface PageToolsOptions {
  /** Put before every name that the model sees. */
  prefix?: string
  /** What the page decides about a tool; `false` leaves it out. */
  configure?(details: McpToolDetails, listed: WebMcpListedTool): McpToolSettings | false | undefined
  /** Origins whose frames are looked at, too, if their tools are exposed to this page. Default: none. */
  fromOrigins?: readonly string[]
  /** How long a call may take. Default: the agent's own limit. */
  timeoutMs?: number
  /** Hears of each tool that cannot be offered. */
  onLeftOut?(tool: LeftOutTool): void
  /** Default: `document.modelContext`. */
  registry?: WebMcpRegistry
}

/**
 * Use the tools that the page, its scripts and its frames have registered with WebMCP, as a source of tools.
 *
 *     createAgent({ model, tools: [pageTools()] })
 *
 * Empty where there is no registry. What `exposeTools` registered in this document is left out: the agent has it already.
 * A tool is `'unsafe'` unless it has `readOnlyHint`, and then `'read'`; its schema, name and arguments are treated as those
 * of an MCP server, and every result carries `_meta['turnloop/untrusted']`. One that was stopped may still have taken
 * effect, unless it only reads: the loop then says `unknown`. A failure is `ToolError` `tool-failed`, without the reason,
 * which browsers keep to themselves.
 */
export function pageTools(options: PageToolsOptions = {}): ToolSource {
  // Looked for when it is wanted: a page may be rendered where there is no document.
  const find = (): WebMcpRegistry | undefined => options.registry ?? webMcpRegistry()
  return {
    list: async ({ signal }) => {
      const registry = find()
      return registry === undefined ? [] : listPage(registry, options, signal)
    },
    subscribe: (onChange) => {
      const registry = find()
      // One of its own, so that the same function may be added twice.
      const listener = (): void => onChange()
      registry?.addEventListener('toolchange', listener)
      return () => registry?.removeEventListener('toolchange', listener)
    },
  }
}

async function listPage(
  registry: WebMcpRegistry,
  options: PageToolsOptions,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  const { prefix, configure, fromOrigins, timeoutMs, onLeftOut } = options
  const leftOut: LeftOutTool[] = []
  const rows = new Map<string, WebMcpListedTool>()
  for (const row of await listInPage(registry, { signal, fromOrigins })) {
    const { name } = row
    if (rows.has(name)) leftOut.push({ name, reason: 'another document has a tool of the same name' })
    else rows.set(name, row)
  }
  const rowOf = ({ name }: McpToolDetails): WebMcpListedTool => {
    const row = rows.get(name)
    if (row === undefined) throw new ToolError('tool-failed', `There is no tool ${name} in this page.`)
    return row
  }
  const made = toRemoteTools(Array.from(rows.values(), toPlain), {
    prefix,
    configure: configure && ((details) => configure.call(options, details, rowOf(details))),
    run: (details, call) => callPage(registry, rowOf(details), call),
  })
  for (const tool of [...leftOut, ...made.leftOut]) onLeftOut?.call(options, tool)
  return made.tools.map((tool) =>
    Object.freeze({ ...tool, source: WEB_MCP, ...(timeoutMs !== undefined && { timeoutMs }) }),
  )
}

async function callPage(
  registry: WebMcpRegistry,
  row: WebMcpListedTool,
  { input, effect, context: { signal } }: RemoteCall,
): Promise<CallToolResult> {
  const { name, origin = '' } = row
  signal.throwIfAborted()
  try {
    const text = await registry.executeTool(row, input, { signal })
    return readResult(toAnswer(text), { server: origin, tool: name })
  } catch (cause) {
    const isInDoubt = signal.aborted && effect !== 'read'
    const what = signal.aborted ? 'was stopped' : 'failed, or is gone; the browser does not say why'
    const fate = isInDoubt ? ' It may or may not have taken effect.' : ''
    throw new ToolError('tool-failed', `${name} of this page ${what}.${fate}`, {
      cause,
      facts: { toolName: name, ...(isInDoubt && { outcomeUnknown: true }) },
    })
  }
}
