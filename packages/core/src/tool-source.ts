import { describeThrown, isTurnloopError, TurnloopError } from './errors.ts'
import { checkTool, isToolSource, type Tool, type ToolSource } from './tool.ts'

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
    const tools: unknown = await source.list(options)
    if (Array.isArray(tools)) {
      for (const item of tools) checkTool(item, 'A tool source lists something that is no tool')
      return tools
    }
    throw new TypeError(`it gave ${tools === null ? 'null' : typeof tools} instead of a list`)
  } catch (cause) {
    if (isTurnloopError(cause)) throw cause
    throw new TurnloopError('tool-list-failed', `A tool source could not list its tools: ${describeThrown(cause)}`, {
      cause,
    })
  }
}

/**
 * Hear when any source's list changes; the returned function stops that, for all sources even if one of them throws.
 *
 * Throws `tool-list-failed` when a source cannot be listened to, after letting go of the others.
 */
export function watchSources(items: readonly (Tool | ToolSource)[], onChange: () => void): () => void {
  const stops: ((() => void) | undefined)[] = []
  try {
    for (const item of items) if (isToolSource(item)) stops.push(item.subscribe?.(onChange))
  } catch (cause) {
    callAll(stops)
    const text = `A tool source could not be listened to: ${describeThrown(cause)}`
    throw new TurnloopError('tool-list-failed', text, { cause })
  }
  return () => {
    const [first] = callAll(stops)
    if (first !== undefined) throw first.error
  }
}

/** Call every function and collect what they throw. */
function callAll(stops: readonly ((() => void) | undefined)[]): { error: unknown }[] {
  return stops.flatMap((stop) => {
    try {
      stop?.()
      return []
    } catch (error) {
      return [{ error }]
    }
  })
}
