import { describeThrown, isTurnloopError, TurnloopError } from './errors.ts'
import { isToolSource, type Tool, type ToolSource } from './tool.ts'

/**
 * All tools of a list of tools and sources, in that order.
 *
 * Sources are asked side by side. Throws `tool-list-failed` when one cannot be reached or two tools share a name: a
 * conversation never goes on with fewer tools than it was given without anybody being told.
 */
export async function listAllTools(
  items: readonly (Tool | ToolSource)[],
  options: { signal: AbortSignal },
): Promise<readonly Tool[]> {
  const lists = await Promise.all(items.map((item) => (isToolSource(item) ? listSource(item, options) : [item])))
  const tools = lists.flat()
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name))
      throw new TurnloopError('tool-list-failed', `Two tools are named "${name}". Rename one of them.`)
    names.add(name)
  }
  return tools
}

async function listSource(source: ToolSource, options: { signal: AbortSignal }): Promise<readonly Tool[]> {
  try {
    return await source.list(options)
  } catch (cause) {
    if (isTurnloopError(cause)) throw cause
    throw new TurnloopError('tool-list-failed', `A tool source could not list its tools: ${describeThrown(cause)}`, {
      cause,
    })
  }
}

/** Hear when any source's list changes; the returned function stops that. */
export function watchSources(items: readonly (Tool | ToolSource)[], onChange: () => void): () => void {
  const stops = items.map((item) => (isToolSource(item) ? item.subscribe?.(onChange) : undefined))
  return () => {
    for (const stop of stops) stop?.()
  }
}
