import type { JsonValue, Tool, ToolContext } from '@turnloop/core'

/** A context for one call, with what it was told as progress. */
export function callContext(
  signal: AbortSignal = new AbortController().signal,
): ToolContext & { updates: JsonValue[] } {
  const updates: JsonValue[] = []
  return {
    callId: 'call-1',
    idempotencyKey: 'key-1',
    turnId: 'turn-1',
    messages: [],
    state: {},
    metadata: {},
    signal,
    updates,
    progress: (update) => void updates.push(update),
  }
}

/** The tool of that name; throws if there is none. */
export function toolNamed(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) throw new Error(`no tool ${name} in ${tools.map((tool) => tool.name).join(', ')}`)
  return found
}

/** A signal that never aborts. */
export function quiet(): AbortSignal {
  return new AbortController().signal
}
