/**
 * All that knows the draft of WebMCP: it follows that of November 2026, as Chromium 156 has it.
 *
 * Source: https://webmachinelearning.github.io/webmcp
 */
import type { CallToolResult, JsonObject, JsonValue } from '@turnloop/core'
import { abortable } from './abortable.ts'
import { isObject } from './mend-schema.ts'

/** `document.modelContext`, as far as it is used. */
export interface WebMcpRegistry {
  /** Rejects for a name that is taken, and where the page's Permissions Policy has no `tools`. */
  registerTool(tool: WebMcpTool, options: { signal: AbortSignal; exposedTo?: readonly string[] }): Promise<unknown>
  getTools(options?: { fromOrigins?: readonly string[] }): Promise<readonly WebMcpListedTool[]>
  /** Resolves with the result as text: a string as it is, the rest as JSON. On abort it rejects at once. */
  executeTool(tool: WebMcpListedTool, input: object, options: { signal: AbortSignal }): Promise<string | null>
  addEventListener(type: 'toolchange', listener: () => void): void
  removeEventListener(type: 'toolchange', listener: () => void): void
}

/** What a registry knows of what a tool does. */
export interface WebMcpHints {
  readonly readOnlyHint?: boolean
  readonly untrustedContentHint?: boolean
  /** A person should be asked first. */
  readonly consequentialHint?: boolean
}

/** A tool as it is registered. */
export interface WebMcpTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations: WebMcpHints
  execute(input: JsonObject, options?: { signal?: AbortSignal }): Promise<CallToolResult>
}

/** A tool as it is listed. Fields that are not set are absent in Chromium up to 159, and `null` from 160 on. */
export interface WebMcpListedTool {
  readonly name: string
  readonly title?: string | null
  readonly description: string
  readonly inputSchema?: object | null
  readonly annotations?: WebMcpHints | null
  readonly origin?: string
  /** Of the document that registered it: `window` up to Chromium 159, `source` from 160 on. */
  readonly window?: unknown
  readonly source?: unknown
}

/** The page's registry, or `undefined` where the browser has none or keeps it from this page. */
export function webMcpRegistry(): WebMcpRegistry | undefined {
  if (typeof document === 'undefined') return undefined
  // The DOM's types do not have it yet, and what is there may be another draft.
  const found = (document as { modelContext?: Partial<WebMcpRegistry> }).modelContext
  const isKnown = (['registerTool', 'getTools', 'executeTool', 'addEventListener'] as const).every(
    (name) => typeof found?.[name] === 'function',
  )
  // All that is used of it is there.
  return isKnown ? (found as WebMcpRegistry) : undefined
}

/** Where a tool of the registry comes from, and who calls an exposed one. */
export const WEB_MCP = 'web-mcp'

/** The names that `exposeTools` registered in this document, so that `pageTools` does not bring them back to their agent. */
const exposed = new WeakMap<WebMcpRegistry, Set<{ readonly name: string }>>()

/** Register a tool until `signal` aborts. Rejects where the registry refuses it. */
export async function registerInPage(
  registry: WebMcpRegistry,
  tool: WebMcpTool,
  { signal, exposedTo }: { signal: AbortSignal; exposedTo?: readonly string[] | undefined },
): Promise<void> {
  const ours = exposed.get(registry) ?? new Set()
  exposed.set(registry, ours)
  const mark = { name: tool.name }
  // Before anybody can see it.
  ours.add(mark)
  signal.addEventListener('abort', () => ours.delete(mark), { once: true })
  try {
    await registry.registerTool(tool, { signal, ...(exposedTo && { exposedTo }) })
  } catch (error) {
    ours.delete(mark)
    throw error
  }
}

/** What others have registered, the document's own before what its frames have. Empty where the page may not look. */
export async function listInPage(
  registry: WebMcpRegistry,
  { signal, fromOrigins }: { signal: AbortSignal; fromOrigins?: readonly string[] | undefined },
): Promise<readonly WebMcpListedTool[]> {
  const listed = await abortable(registry.getTools(fromOrigins && { fromOrigins }), signal).catch(asNone)
  const ours = new Set(Array.from(exposed.get(registry) ?? [], ({ name }) => name))
  return listed
    .filter((tool) => isForeign(tool) || !ours.has(tool.name))
    .sort((a, b) => Number(isForeign(a)) - Number(isForeign(b)))
}

/** A page that may not use the registry, by its Permissions Policy, is one without tools. */
function asNone(error: unknown): readonly WebMcpListedTool[] {
  if (error instanceof Error && error.name === 'NotAllowedError') return []
  throw error
}

/** Whether a frame has registered it. */
function isForeign({ window, source = window }: WebMcpListedTool): boolean {
  return source !== undefined && source !== null && source !== globalThis
}

/** From Chromium 160 on it is no plain object: what is wanted has to be read by name. */
export function toPlain({ name, title, description, inputSchema, annotations }: WebMcpListedTool): object {
  const { readOnlyHint = false } = annotations ?? {}
  return {
    name,
    ...(title && { title }),
    description,
    ...(inputSchema && { inputSchema }),
    annotations: { readOnlyHint },
  }
}

/** A result in the form of MCP. The text does not tell a string from JSON: what reads as an object or a list is one. */
export function toAnswer(text: string | null): JsonObject {
  const plain = text === null || text === 'undefined' || text === 'null' ? '' : text
  const value = parseJson(plain)
  if (isObject(value) && Array.isArray(value.content)) return value
  return typeof value === 'object' ? { structuredContent: value } : { content: [{ type: 'text', text: plain }] }
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
