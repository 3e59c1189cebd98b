import type { JsonValue, ToolContext } from '@turnloop/core'

/** A context for calling a tool without a loop. `updates` collects its progress. */
export interface CallContext extends ToolContext {
  readonly updates: JsonValue[]
}

export function callContext(options: Partial<ToolContext> = {}): CallContext {
  const updates: JsonValue[] = []
  return {
    callId: 'call-1',
    idempotencyKey: 'key-1',
    turnId: 'turn-1',
    messages: [],
    state: {},
    metadata: {},
    signal: new AbortController().signal,
    progress: (update) => void updates.push(update),
    ...options,
    updates,
  }
}

/** A signal for `list` that never aborts. */
export const never: { readonly signal: AbortSignal } = { signal: new AbortController().signal }
