const marked = new WeakMap<object, readonly Transferable[]>()

/**
 * Declare what of a result, or of a chunk, is moved to the page rather than copied; returns the value as it is.
 *
 *     return transfer({ width, pixels }, [pixels.buffer])
 *
 * What is listed is empty in the worker afterwards. A tool that uses this runs in the page just as well.
 */
export function transfer<Value extends object>(value: Value, list: readonly Transferable[]): Value {
  marked.set(value, list)
  return value
}

/** What `transfer` was told of a value. */
export function transfersOf(value: unknown): readonly Transferable[] {
  return typeof value === 'object' && value !== null ? (marked.get(value) ?? []) : []
}
